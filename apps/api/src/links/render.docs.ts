import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiQuery, ApiResponse, type ApiQueryOptions } from '@nestjs/swagger';
import { CaptureOptions } from '@app/capture';
import type { JsonSchema } from '@app/kernel';
import { CAPTURE_ERRORS, FILE_CONTENT, FILE_HEADERS } from '../captures/capture-files.docs.js';
import { ApiOptionQueries } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { queryParameterOf, requestSchemaOf } from '../openapi/request-schemas.js';
import { LINK_OPTIONS, LinkFields } from './link-options.js';

const DESCRIPTION = `Captures a page by a signed link and responds with the file, so that an \`<img>\` can show it. It needs no key:
anyone who has the link may use it, and nobody can change it. \`POST /v1/links\` makes such links, and so can your own program, as docs/links.md shows.

* The signed text is \`v1\`, \`GET\` and \`/v1/render\`, a line each, followed by the query exactly as it is sent, up to
  \`&signature=\`. \`signature\` stands last: \`v1.\` and the base64url of its HMAC-SHA256, without padding.
* Options have the names that they have in JSON. A list is written by repeating its name. The query may be 8,192 bytes long.
* The file is cached for \`cache_ttl_s\` seconds, at least 60 and by default a day.
* With \`on_error=image\`, an error is a small SVG picture that shows it. The status is the same.
* \`HEAD\` makes the same capture and responds without the file, so that the cache has it when the page is shown.
* Pages of all sites may read the response (CORS).`;

const SIGNATURE: JsonSchema = {
  type: 'string',
  pattern: String.raw`^v1\.[A-Za-z0-9_-]{43}$`,
  description: 'Signature of everything before it. It stands last.',
};

const OPTIONS = requestSchemaOf(CaptureOptions).properties as Readonly<Record<string, JsonSchema>>;

type ListParameter = ApiQueryOptions & { readonly content?: unknown };

/** A list is repeated here, and not encoded as JSON. */
const optionQueries = LINK_OPTIONS.map(({ name, kind }) => {
  const { type, maxItems, items } = OPTIONS[name] ?? {};
  const { content: _, ...parameter } = queryParameterOf(name, OPTIONS[name] ?? {}) as ListParameter;
  const list = { schema: { type, maxItems, items }, style: 'form', explode: true };
  return ApiQuery({ ...parameter, ...(kind === 'list' && list) } as ApiQueryOptions);
});

export const DocumentsRender = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show a capture by a signed link',
      description: DESCRIPTION,
      operationId: 'getLinkedCapture',
    }),
    ApiOptionQueries(LinkFields),
    ...optionQueries,
    ApiQuery({ name: 'signature', required: false, schema: SIGNATURE }),
    ApiHeader({ name: 'If-None-Match', required: false, schema: { type: 'string' } }),
    ApiResponse({ status: 200, description: 'The file.', headers: FILE_HEADERS, content: FILE_CONTENT }),
    ApiResponse({ status: 206, description: 'The requested range of the file.', content: FILE_CONTENT }),
    ApiResponse({ status: 304, description: 'The caller has the current version.' }),
    ApiProblems(
      'invalid_request',
      'allowance_exhausted',
      'signature_invalid',
      'target_forbidden',
      'job_canceled',
      'link_expired',
      'link_too_long',
      'result_expired',
      'range_not_satisfiable',
      ...CAPTURE_ERRORS,
      'concurrency_exceeded',
      'rate_limited',
      'browser_crashed',
      'worker_lost',
      'overloaded',
      'dns_unavailable',
      'storage_unavailable',
      'secrets_unreadable',
      'unavailable',
      'capture_timeout',
    ),
  );
