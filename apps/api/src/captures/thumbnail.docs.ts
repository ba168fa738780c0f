import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ApiId } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { ApiIfNoneMatch, ApiNotModified, FILE_HEADERS } from './capture-files.docs.js';
import { THUMBNAIL } from './thumbnail.js';

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
