import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { CaptureList, CaptureRecord } from '../captures/capture.response.js';
import { DeleteQuery } from '../captures/delete.query.js';
import { ListQuery } from '../captures/list.query.js';
import { StatsQuery } from '../captures/stats.query.js';
import { CaptureStats } from '../captures/stats.response.js';
import { EXAMPLES } from './examples.js';
import { FILE_CONTENT, FILE_HEADERS } from './file.docs.js';
import { ApiProblems, CAPTURE_ERRORS } from './problems.docs.js';
import { ApiQueryOf } from './query.docs.js';
import { ID, ref } from './schemas.js';

export const ApiId = (): MethodDecorator =>
  ApiParam({ name: 'id', schema: { type: ID.type, format: ID.format } });

export const DocumentsList = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List captures',
      description: 'Every capture of the account, newest first. `next_cursor` leads to the next page.',
      operationId: 'listCaptures',
    }),
    ApiQueryOf(ListQuery),
    ApiResponse({ status: 200, type: CaptureList }),
    ApiProblems('invalid_request'),
  );

export const DocumentsStats = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Statistics',
      description:
        'Captures by time of creation. Counts are exact; percentiles are at most 2.5 % off. The first and the last bucket may lie partly outside the range, and then hold only what is within.',
      operationId: 'getCaptureStats',
    }),
    ApiQueryOf(StatsQuery),
    ApiResponse({ status: 200, type: CaptureStats }),
    ApiProblems('invalid_request'),
  );

export const DocumentsRecord = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Show a capture', operationId: 'getCapture' }),
    ApiId(),
    ApiResponse({ status: 200, type: CaptureRecord }),
    ApiProblems('not_found'),
  );

const DELETE = `Deletes the file at once, and from the record all that you or the page wrote: options, URLs, host, title, tag,
webhook, and the texts of an error. Times, sizes, status and codes stay, as do statistics and what was charged.

* What is queued or running is canceled first, as by \`DELETE /v1/jobs/{id}\`. A late result is dropped.
* The file is answered with 410 \`result_expired\` from then on, and so is a repeated request under its \`Idempotency-Key\`.
* \`record=true\` deletes the record as well: the answer is 204, and the id is unknown from then on.
* Again: the same answer.`;

export const DocumentsDelete = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Delete a capture', description: DELETE, operationId: 'deleteCapture' }),
    ApiId(),
    ApiQueryOf(DeleteQuery),
    ApiResponse({
      status: 200,
      description: 'The record as it is kept.',
      content: { 'application/json': { schema: ref('CaptureRecord'), example: EXAMPLES.DeletedCapture } },
    }),
    ApiResponse({ status: 204, description: 'With `record=true`: nothing is kept.' }),
    ApiProblems('invalid_request', 'not_found', 'storage_unavailable'),
  );

export const DocumentsResult = (of: 'captures' | 'jobs'): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Get the file',
      description: 'The file of a succeeded capture. A failed one is answered with its own error.',
      operationId: of === 'captures' ? 'getCaptureResult' : 'getJobResult',
    }),
    ApiId(),
    ApiHeader({
      name: 'Range',
      required: false,
      description: '`bytes=0-1023`: a part of the file.',
      schema: { type: 'string' },
    }),
    ApiHeader({ name: 'If-None-Match', required: false, schema: { type: 'string' } }),
    ApiResponse({ status: 200, description: 'The file.', headers: FILE_HEADERS, content: FILE_CONTENT }),
    ApiResponse({ status: 206, description: 'The range of the file.', content: FILE_CONTENT }),
    ApiResponse({ status: 304, description: 'The caller has it already.' }),
    ApiProblems(
      'not_found',
      'job_not_finished',
      'job_canceled',
      'result_expired',
      'range_not_satisfiable',
      ...CAPTURE_ERRORS,
      'browser_crashed',
      'worker_lost',
      'storage_unavailable',
      'capture_timeout',
    ),
  );
