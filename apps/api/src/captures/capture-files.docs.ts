import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { FORMATS } from '@app/capture';
import { ERROR_CODES, ERRORS } from '@app/kernel';
import { ApiId } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { THUMBNAIL } from './thumbnail.js';

const text = (description: string, example?: string) => ({
  description,
  schema: { type: 'string', ...(example !== undefined && { example }) },
});

/** An archive of files. */
export const ARCHIVE_CONTENT = { 'application/zip': { schema: { type: 'string', format: 'binary' } } };

/** The header that names the file. */
export const disposition = (example: string) => ({
  'Content-Disposition': text('Name of the file.', example),
});

/** The headers of a capture's file. */
export const FILE_HEADERS = {
  'X-Capture-Id': text('Id of the capture.'),
  'X-Capture-Http-Status': text('HTTP status of the page.', '200'),
  'X-Capture-Final-Url': text('URL after redirects; omitted when longer than 2,048 characters.'),
  'X-Capture-Billable': text('Whether the capture costs a unit of the allowance.', 'true'),
  'X-Cache': text(
    'How the cache answered: HIT, STALE, COALESCED (with the visit of another request), MISS, or BYPASS (not asked).',
    'HIT',
  ),
  'Server-Timing': text(
    'Duration of each phase in ms.',
    'queue;dur=3, prepare;dur=2, navigate;dur=120, settle;dur=0, render;dur=60, store;dur=2',
  ),
  ETag: text('SHA-256 of the bytes, quoted.'),
  ...disposition('inline; filename="example.com.png"'),
};

/** The headers of an answer that the cache may give. */
export const CACHE_HEADERS = {
  Age: text('With `cache_ttl_s`: seconds since the capture.', '12'),
  'Cache-Control': text(
    'With `cache_ttl_s`: how long the answer may be kept, counted from the capture.',
    'private, max-age=3600, stale-while-revalidate=0',
  ),
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

/** The errors of every route that serves the files of a capture. */
const FILE_ERRORS = [
  'not_found',
  'job_not_finished',
  'job_canceled',
  'result_expired',
  ...CAPTURE_ERRORS,
  'browser_crashed',
  'worker_lost',
  'storage_unavailable',
  'capture_timeout',
] as const;

export const ApiIfNoneMatch = (): MethodDecorator =>
  ApiHeader({ name: 'If-None-Match', required: false, schema: { type: 'string' } });

export const ApiNotModified = (): MethodDecorator =>
  ApiResponse({ status: 304, description: 'The caller has the current version.' });

const FILE_PARTS = [
  ApiHeader({
    name: 'Range',
    required: false,
    description: '`bytes=0-1023`: the part of the file to send.',
    schema: { type: 'string' },
  }),
  ApiIfNoneMatch(),
  ApiResponse({ status: 200, description: 'The file.', headers: FILE_HEADERS, content: FILE_CONTENT }),
  ApiResponse({ status: 206, description: 'The requested range of the file.', content: FILE_CONTENT }),
  ApiNotModified(),
  ApiProblems(...FILE_ERRORS, 'range_not_satisfiable'),
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

const ARCHIVE = `All files of a succeeded capture and its record, \`record.json\`, as a zip archive. For a failed capture, the response is
its own error.

* Each file has the name of its output and the extension of its format: \`phone.png\`.
* Pictures and PDFs are stored as they are, texts are compressed.
* The same capture always makes the same archive: \`If-None-Match\` spares the download. There are no ranges.
* If the download fails midway, the connection is aborted: the archive has no table of contents.`;

export const DocumentsArchive = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Get all files', description: ARCHIVE, operationId: 'downloadCaptureFiles' }),
    ApiId(),
    ApiIfNoneMatch(),
    ApiResponse({
      status: 200,
      description: 'The archive.',
      headers: {
        ...FILE_HEADERS,
        ETag: text('Identifies the files and the record.'),
        ...disposition('attachment; filename=example.com.zip'),
      },
      content: ARCHIVE_CONTENT,
    }),
    ApiNotModified(),
    ApiProblems(...FILE_ERRORS),
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

const DESCRIPTION = `A WebP of the top of the first picture among the files of the capture, for a gallery: at most
${THUMBNAIL.width} × ${THUMBNAIL.height} px, and never larger than the picture.

* It is made when it is first requested. More than 200 that an account waits for at once answer \`rate_limited\`. Accounts take turns.
* A browser may keep it for an hour. The service no longer has it once the file is deleted or has expired.
* A capture without a picture answers \`no_picture\`: a PDF, a text, or one that failed.`;

export const DocumentsThumbnail = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Get a thumbnail',
      description: DESCRIPTION,
      operationId: 'getCaptureThumbnail',
    }),
    ApiId(),
    ApiIfNoneMatch(),
    ApiResponse({
      status: 200,
      description: 'The thumbnail.',
      headers: {
        ...FILE_HEADERS,
        'Cache-Control': {
          description: 'How long the thumbnail may be kept.',
          schema: { type: 'string', example: 'private, max-age=3600, immutable' },
        },
      },
      content: { 'image/webp': { schema: { type: 'string', format: 'binary' } } },
    }),
    ApiNotModified(),
    ApiProblems(
      'not_found',
      'no_picture',
      'job_not_finished',
      'result_expired',
      'overloaded',
      'storage_unavailable',
    ),
  );
