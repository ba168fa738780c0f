import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { FORMATS } from '@app/capture';
import { ERROR_CODES, ERRORS } from '@app/kernel';
import { ApiId, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { ref } from '../openapi/schemas.js';
import { CaptureList, CaptureRecord } from './capture.response.js';
import { CAPTURE_EXAMPLES } from './capture.schemas.js';
import { DeleteQuery, ListQuery } from './captures.query.js';
import { StatsQuery } from './stats.query.js';
import { CaptureStats } from './stats.response.js';

const text = (description: string, example?: string) => ({
  description,
  schema: { type: 'string', ...(example !== undefined && { example }) },
});

/** The headers of a capture's file. */
export const FILE_HEADERS = {
  'X-Capture-Id': text('Id of the capture.'),
  'X-Capture-Http-Status': text('HTTP status of the page.', '200'),
  'X-Capture-Final-Url': text('URL after redirects; omitted when longer than 2,048 characters.'),
  'X-Capture-Billable': text('Whether the capture costs a unit of the allowance.', 'true'),
  'Server-Timing': text(
    'Duration of each phase in ms.',
    'queue;dur=3, prepare;dur=2, navigate;dur=120, settle;dur=0, render;dur=60, store;dur=2',
  ),
  ETag: text('SHA-256 of the bytes, quoted.'),
  'Content-Disposition': text('Name of the file.', 'inline; filename="example.com.png"'),
};

/** The file, by the media type of its format. */
export const FILE_CONTENT = Object.fromEntries(
  Object.values(FORMATS).map(({ contentType }) => {
    const [mediaType = contentType] = contentType.split(';');
    const isText = mediaType.startsWith('text/');
    return [mediaType, { schema: { type: 'string', ...(!isText && { format: 'binary' }) } }];
  }),
);

/** The errors that a capture itself can end in. */
export const CAPTURE_ERRORS = ERROR_CODES.filter(
  (code) => ERRORS[code].status === 422 && code !== 'idempotency_mismatch',
);

export const DocumentsList = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List captures',
      description: 'All captures of the account, newest first. `next_cursor` leads to the next page.',
      operationId: 'listCaptures',
    }),
    ApiQueryOf(ListQuery),
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

const FILE_PARTS = [
  ApiHeader({
    name: 'Range',
    required: false,
    description: '`bytes=0-1023`: the part of the file to send.',
    schema: { type: 'string' },
  }),
  ApiHeader({ name: 'If-None-Match', required: false, schema: { type: 'string' } }),
  ApiResponse({ status: 200, description: 'The file.', headers: FILE_HEADERS, content: FILE_CONTENT }),
  ApiResponse({ status: 206, description: 'The requested range of the file.', content: FILE_CONTENT }),
  ApiResponse({ status: 304, description: 'The caller has the current version.' }),
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
];

export const DocumentsFile = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Get one of several files',
      description:
        'The file with this name in `files` of the record. For a failed capture, the response is its own error.',
      operationId: 'getCaptureFile',
    }),
    ApiId(),
    ApiParam({ name: 'name', schema: { type: 'string', example: 'phone' } }),
    ...FILE_PARTS,
  );

/** `GET /v1/captures/{id}/result` and `GET /v1/jobs/{id}/result`. */
export const DocumentsResult = (of: 'captures' | 'jobs'): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Get the file',
      description: 'The file of a succeeded capture. For a failed one, the response is its own error.',
      operationId: of === 'captures' ? 'getCaptureResult' : 'getJobResult',
    }),
    ApiId(),
    ...FILE_PARTS,
  );
