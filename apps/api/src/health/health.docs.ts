import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { Health } from './health.response.js';

const HEALTH: Health = {
  status: 'ok',
  checks: {
    database: { status: 'ok', latency_ms: 1, error: null },
    queue: { status: 'ok', latency_ms: 2, error: null },
    storage: { status: 'ok', latency_ms: 1, error: null },
    workers: { status: 'ok', latency_ms: 1, error: null, count: 2, slots: 4, busy: 1 },
    secrets: { status: 'ok', latency_ms: 1, error: null },
  },
};

/** Examples of responses, by the name of their schema. */
export const HEALTH_EXAMPLES = { Health: HEALTH } as const;

export const DocumentsHealth = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show the health',
      description: 'The state of the dependencies, checked at most every 2 s.',
      operationId: 'getHealth',
    }),
    ApiResponse({ status: 200, type: Health }),
    ApiResponse({
      status: 503,
      type: Health,
      description: 'The database is unavailable, or its schema is older than the API.',
    }),
  );
