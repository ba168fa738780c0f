import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ApiId } from './captures.docs.js';
import { ApiProblems } from './problems.docs.js';

interface EventsDoc {
  readonly summary: string;
  readonly description: string;
  readonly operationId: string;
  readonly example: { readonly name: string; readonly id: string; readonly data: object };
  /** What a caller has seen to whom there is nothing more to tell. */
  readonly seen: string;
}

/** A route that answers with server-sent events of a record until its end. */
export function DocumentsRecordEvents({ example, seen, ...operation }: EventsDoc): MethodDecorator {
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
    ApiResponse({ status: 204, description: `The caller has seen the ${seen}.` }),
    ApiProblems('not_found'),
  );
}
