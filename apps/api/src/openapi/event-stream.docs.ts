import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ApiId } from './parameters.docs.js';
import { ApiProblems } from './problems.docs.js';

interface EventStreamDoc {
  readonly summary: string;
  readonly description: string;
  readonly operationId: string;
  readonly example: { readonly name: string; readonly id: string; readonly data: object };
  /** What the caller of a 204 has received already. */
  readonly seen: string;
}

/** A route that streams a record as server-sent events until it is final. */
export function ApiRecordEvents({ example, seen, ...operation }: EventStreamDoc): MethodDecorator {
  const { name, id, data } = example;
  return applyDecorators(
    ApiOperation(operation),
    ApiId(),
    ApiHeader({ name: 'Last-Event-ID', required: false, schema: { type: 'string' } }),
    ApiResponse({
      status: 200,
      description: 'The events.',
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          example: `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`,
        },
      },
    }),
    ApiResponse({ status: 204, description: `The caller has received the ${seen}.` }),
    ApiProblems('not_found'),
  );
}
