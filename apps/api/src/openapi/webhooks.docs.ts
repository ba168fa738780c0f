import type { OpenAPIObject } from '@nestjs/swagger';
import { ID, ref, TIME } from './schemas.js';

interface EventKind {
  /** The schema of `data`. */
  readonly data: object;
  /** A summary and an example of `data`, by type. */
  readonly types: Readonly<Record<string, readonly [string, object]>>;
}

/** Kinds of webhook events, by the name of the schema of their body. */
export type EventKinds = Readonly<Record<string, EventKind>>;

const DESCRIPTION = `Sent as a POST, signed according to Standard Webhooks 1.0. Respond with any 2xx within 15 s; anything else is retried,
ten times in three days. An event may be delivered more than once: deduplicate by \`webhook-id\`. See docs/webhooks.md.`;

/** The schemas of the bodies of all events. */
export function eventSchemas(kinds: EventKinds): Record<string, object> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, { data, types }]) => [
      name,
      {
        type: 'object',
        required: ['type', 'timestamp', 'data'],
        properties: {
          type: { type: 'string', enum: Object.keys(types) },
          timestamp: { ...TIME, description: 'When it happened; the same for all attempts.' },
          data,
        },
      },
    ]),
  );
}

/** `webhooks` of the document, by type of event. */
export function webhooksOf(kinds: EventKinds): NonNullable<OpenAPIObject['webhooks']> {
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([schema, { types }]) =>
      Object.entries(types).map(([type, [summary, data]]) => {
        const example = { type, timestamp: TIME.example, data };
        return [type, { post: operationOf({ type, summary, schema, example }) }];
      }),
    ),
  );
}

interface EventDoc {
  readonly type: string;
  readonly summary: string;
  readonly schema: string;
  readonly example: object;
}

function operationOf({ type, summary, schema, example }: EventDoc) {
  return {
    tags: ['Webhooks'],
    operationId: `receive${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    description: DESCRIPTION,
    security: [],
    parameters: [
      header('webhook-id', 'The same for all attempts to deliver an event.', ID.example),
      header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.', '1795238406'),
      header(
        'webhook-signature',
        'One signature for each valid secret, separated by spaces.',
        'v1,K5oZfzN95Z9U…=',
      ),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: ref(schema), example } } },
    responses: {
      '2XX': { description: 'The event is delivered.' },
      410: { description: 'The endpoint no longer exists: deliveries to it stop.' },
    },
  };
}

function header(name: string, description: string, example: string) {
  return { name, in: 'header' as const, required: true, description, schema: { type: 'string' }, example };
}
