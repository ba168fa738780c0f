import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { BatchRecord } from '../bulk/batch.response.js';
import { ResultsQuery } from '../bulk/results.query.js';
import { CaptureList } from '../captures/capture.response.js';
import { WaitQuery } from '../jobs/wait.query.js';
import { ApiId } from './captures.docs.js';
import { DocumentsRecordEvents } from './events.docs.js';
import { EXAMPLES } from './examples.js';
import { ApiProblems } from './problems.docs.js';
import { ApiQueryOf } from './query.docs.js';
import { ref } from './schemas.js';

export const DocumentsBatch = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show a batch',
      description:
        'The progress of the batch. With `wait`, the answer comes as soon as the batch is `completed` or `canceled`.',
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
        'All rows that have not ended are `canceled` from this moment, even those that were running: their pages are ' +
        'closed within 2 seconds, late results are dropped, nothing is charged for them. Rows that have ended stay as ' +
        'they are. A repeated request has the same answer.',
      operationId: 'cancelBatch',
    }),
    ApiId(),
    ApiResponse({
      status: 200,
      content: { 'application/json': { schema: ref('BatchRecord'), example: EXAMPLES.CanceledBatch } },
    }),
    ApiProblems('not_found', 'job_finished'),
  );

const EVENTS = `The record at once, then after changes of its rows, at most once a second, and at its end, as server-sent
events named \`batch\`. The stream ends after the record of the end. A comment line, which begins with a
colon, keeps the connection alive every 15 seconds. A client that reconnects with the \`Last-Event-ID\` of the end gets 204.`;

export const DocumentsBatchEvents = (): MethodDecorator =>
  DocumentsRecordEvents({
    summary: 'Follow a batch',
    description: EVENTS,
    operationId: 'followBatch',
    example: { name: 'batch', id: 'running.900.4.90.6.0', data: EXAMPLES.BatchRecord },
    seen: 'end',
  });

export const DocumentsBatchResults = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List the results of a batch',
      description:
        'The records of its rows in row order, also while it runs. `next_cursor` leads to the next page.',
      operationId: 'listBatchResults',
    }),
    ApiId(),
    ApiQueryOf(ResultsQuery),
    ApiResponse({ status: 200, type: CaptureList }),
    ApiProblems('invalid_request', 'not_found'),
  );
