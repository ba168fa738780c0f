import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { ApiId } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { ApiIfNoneMatch, ApiNotModified, FILE_CONTENT, FILE_HEADERS } from './capture-files.docs.js';

const DESCRIPTION = `A file of a capture by a link that the service has signed. It needs no key: the events of monitors hold such links, for people
who read them in a chat or in a mail. A link works until its time \`expires\`, at most 30 days after the event, or until the file is
gone. With \`small\` it is a small JPEG of the picture around that distance from its top, in px.`;

const documents = (summary: string, operationId: string): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary, description: DESCRIPTION, operationId }),
    ApiId(),
    ApiQuery({ name: 'expires', required: true, schema: { type: 'integer' } }),
    ApiQuery({ name: 'small', required: false, schema: { type: 'integer' } }),
    ApiQuery({ name: 'signature', required: true, schema: { type: 'string' } }),
    ApiIfNoneMatch(),
    ApiResponse({ status: 200, description: 'The file.', headers: FILE_HEADERS, content: FILE_CONTENT }),
    ApiResponse({ status: 206, description: 'The requested range of the file.', content: FILE_CONTENT }),
    ApiNotModified(),
    ApiProblems(
      'signature_invalid',
      'not_found',
      'link_expired',
      'result_expired',
      'no_picture',
      'storage_unavailable',
      'range_not_satisfiable',
    ),
  );

export const DocumentsLinkedFirstFile = (): MethodDecorator =>
  documents('Get the file of a capture by a link', 'getLinkedFile');

export const DocumentsLinkedFile = (): MethodDecorator =>
  applyDecorators(
    documents('Get a named file of a capture by a link', 'getLinkedNamedFile'),
    ApiParam({ name: 'name', schema: { type: 'string', example: 'diff' } }),
  );
