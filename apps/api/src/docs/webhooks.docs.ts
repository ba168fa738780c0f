import type { OpenAPIObject } from '@nestjs/swagger';
import { ERRORS } from '@app/kernel';
import { THRESHOLDS } from '@app/usage';
import { EXAMPLES } from './examples.js';
import { ID, ref, TIME } from './schemas.js';

const BATCH = (({ webhook: _, ...record }) => ({ ...record, eta_s: 0, finished_at: TIME.example }))(
  EXAMPLES.BatchRecord,
);
const ENDED = { ...EXAMPLES.CaptureRecord, source: 'job' };
const NO_FILE = { ...ENDED, width: null, height: null, page_height: null, truncated: null, complete: null };
const UNCHARGED = {
  ...NO_FILE,
  bytes: null,
  sha256: null,
  billable: false,
  expires_at: null,
  result_url: null,
};

const USAGE_DATA = {
  type: 'object',
  required: ['threshold', 'period', 'total', 'used', 'available'],
  properties: {
    threshold: { type: 'integer', enum: [...THRESHOLDS], description: 'Percent of `total` that is used.' },
    period: { type: 'string', description: 'The month, or `ever`.', example: '2026-11' },
    total: { type: 'integer' },
    used: { type: 'integer' },
    available: { type: 'integer' },
  },
};

interface EventKind {
  /** Schema of `data`. */
  readonly data: object;
  /** By type: a summary, and the data of its example. */
  readonly types: Readonly<Record<string, readonly [string, object]>>;
}

/** The kinds of events, by the name of the schema of their body. */
const EVENTS: Readonly<Record<string, EventKind>> = {
  CaptureEvent: {
    data: ref('CaptureRecord'),
    types: {
      'capture.succeeded': ['A job has succeeded', ENDED],
      'capture.failed': ['A job has failed', { ...UNCHARGED, status: 'failed', error: failure() }],
      'capture.canceled': [
        'A job was canceled',
        { ...UNCHARGED, status: 'canceled', cancel_reason: 'client_request' },
      ],
    },
  },
  BatchEvent: {
    data: ref('EndedBatchRecord'),
    types: {
      'batch.completed': ['Every row of a batch has ended', { ...BATCH, status: 'completed', progress: 1 }],
      'batch.canceled': ['A batch was canceled', { ...BATCH, status: 'canceled', progress: 1 }],
    },
  },
  UsageEvent: {
    data: USAGE_DATA,
    types: {
      'usage.threshold': [
        'An account has used 80 % or 100 % of its allowance',
        { threshold: 80, period: '2026-11', total: 10_000, used: 8_000, available: 2_000 },
      ],
    },
  },
};

const DESCRIPTION = `Sent by a POST that is signed by Standard Webhooks 1.0. Answer with any 2xx within 15 s; anything else is tried
again, ten times in three days. An event may come more than once: go by \`webhook-id\`. See docs/webhooks.md.`;

/** The schemas of the bodies of all events. */
export function eventSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([name, { data, types }]) => [
      name,
      {
        type: 'object',
        required: ['type', 'timestamp', 'data'],
        properties: {
          type: { type: 'string', enum: Object.keys(types) },
          timestamp: { ...TIME, description: 'When it happened; the same over all tries.' },
          data,
        },
      },
    ]),
  );
}

/** `webhooks` of the document: each event by its type. */
export function webhooks(): NonNullable<OpenAPIObject['webhooks']> {
  return Object.fromEntries(
    Object.entries(EVENTS).flatMap(([schema, { types }]) =>
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
      header('webhook-id', 'The same over all tries of an event.', ID.example),
      header('webhook-timestamp', 'Of this try, in seconds since 1970.', '1795238406'),
      header('webhook-signature', 'One for each valid secret, separated by spaces.', 'v1,K5oZfzN95Z9U…='),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: ref(schema), example } } },
    responses: {
      '2XX': { description: 'The event is delivered.' },
      410: { description: 'The endpoint is gone: nothing more is sent to it.' },
    },
  };
}

function header(name: string, description: string, example: string) {
  return { name, in: 'header' as const, required: true, description, schema: { type: 'string' }, example };
}

function failure() {
  const { title, retryable } = ERRORS.target_dns_error;
  return {
    type: '/docs/errors#target_dns_error',
    title,
    detail: 'Could not resolve exmaple.com',
    code: 'target_dns_error',
    retryable,
  };
}
