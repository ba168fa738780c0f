import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ApiId, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { ref } from '../openapi/schemas.js';
import { CaptureList, CaptureRecord } from './capture.response.js';
import { CAPTURE_EXAMPLES } from './capture.schemas.js';
import { DeleteQuery, CapturesQuery } from './captures.query.js';
import { StatsQuery } from './stats.query.js';
import { CaptureStats } from './stats.response.js';

export const DocumentsList = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List captures',
      description: 'All captures of the account, newest first. `next_cursor` leads to the next page.',
      operationId: 'listCaptures',
    }),
    ApiQueryOf(CapturesQuery),
    ApiResponse({ status: 200, type: CaptureList }),
    ApiProblems('invalid_request'),
  );

export const DocumentsStats = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show statistics',
      description:
        'Captures by time of creation. Counts are exact; percentiles are at most 2.5 % off. If the first or the last bucket is partly outside the range, it counts only captures within the range.',
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

const DELETE_DESCRIPTION = `Deletes the file immediately, and everything in the record that you or the page wrote: options, URLs, host, title, tag,
webhook, and the texts of an error. Times, sizes, status and codes are kept, as are statistics and charges.

* A capture that is queued or running is canceled first, as by \`DELETE /v1/jobs/{id}\`. A late result is discarded.
* From then on, the response for the file is 410 \`result_expired\`, also for a repeated request with its \`Idempotency-Key\`.
* \`record=true\` deletes the record as well: the response is 204, and the id is unknown from then on.
* A repeated request has the same response.`;

export const DocumentsDelete = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Delete a capture',
      description: DELETE_DESCRIPTION,
      operationId: 'deleteCapture',
    }),
    ApiId(),
    ApiQueryOf(DeleteQuery),
    ApiResponse({
      status: 200,
      description: 'What is kept of the record.',
      content: {
        'application/json': { schema: ref('CaptureRecord'), example: CAPTURE_EXAMPLES.DeletedCapture },
      },
    }),
    ApiResponse({ status: 204, description: 'With `record=true`: the record is deleted, too.' }),
    ApiProblems('invalid_request', 'not_found', 'storage_unavailable'),
  );
