import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { CaptureList } from '../captures/capture.response.js';
import { WaitQuery } from '../http/wait.query.js';
import { ApiRecordEvents } from '../openapi/event-stream.docs.js';
import { ApiId, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { ref } from '../openapi/schemas.js';
import { BatchList, BatchRecord } from './batch.response.js';
import { BATCH_EXAMPLES } from './batch.schemas.js';
import { BatchesQuery } from './batches.query.js';
import { ResultsQuery } from './results.query.js';

export const DocumentsBatches = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List batches',
      description:
        'All batches of the account, newest first, with their progress. `next_cursor` leads to the next page.',
      operationId: 'listBatches',
    }),
    ApiQueryOf(BatchesQuery),
    ApiResponse({ status: 200, type: BatchList }),
    ApiProblems('invalid_request'),
  );

export const DocumentsBatch = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show a batch',
      description:
        'The progress of the batch. With `wait`, the response is sent as soon as the batch is `completed` or `canceled`.',
      operationId: 'getBatch',
    }),
    ApiId(),
    ApiQueryOf(WaitQuery),
    ApiResponse({ status: 200, type: BatchRecord }),
    ApiProblems('invalid_request', 'not_found'),
  );

export const DocumentsBatchCancel = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Cancel a batch',
      description:
        'All rows that have not ended are `canceled` immediately, even those that are running: their pages are closed ' +
        'within 2 seconds, late results are discarded, and nothing is charged for them. Rows that have ended are not ' +
        'affected. A repeated request has the same response.',
      operationId: 'cancelBatch',
    }),
    ApiId(),
    ApiResponse({
      status: 200,
      content: { 'application/json': { schema: ref('BatchRecord'), example: BATCH_EXAMPLES.CanceledBatch } },
    }),
    ApiProblems('not_found', 'job_finished'),
  );

const EVENTS = `Sends the record immediately, then after changes of its rows, at most once a second, and at its end, as server-sent
events named \`batch\`. The stream ends after the final record. A comment line, which begins with a colon, keeps the
connection alive every 15 seconds. A client that reconnects with the \`Last-Event-ID\` of the final record gets 204.`;

export const DocumentsBatchEvents = (): MethodDecorator =>
  ApiRecordEvents({
    summary: 'Follow a batch',
    description: EVENTS,
    operationId: 'followBatch',
    example: { name: 'batch', id: 'running.900.4.90.6.0', data: BATCH_EXAMPLES.BatchRecord },
    seen: 'final record',
  });

export const DocumentsBatchResults = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List the results of a batch',
      description:
        'The records of its rows in row order, also while the batch runs. `next_cursor` leads to the next page.',
      operationId: 'listBatchResults',
    }),
    ApiId(),
    ApiQueryOf(ResultsQuery),
    ApiResponse({ status: 200, type: CaptureList }),
    ApiProblems('invalid_request', 'not_found'),
  );
