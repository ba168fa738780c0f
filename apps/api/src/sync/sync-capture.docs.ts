import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import {
  ARCHIVE_CONTENT,
  CACHE_HEADERS,
  CAPTURE_ERRORS,
  FILE_CONTENT,
  FILE_HEADERS,
} from '../captures/capture-files.docs.js';
import { locationOf, REPLAYED } from '../openapi/headers.docs.js';
import { ApiIdempotencyKey } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { ref } from '../openapi/schemas.js';

const DESCRIPTION = `Captures a page and responds with the file.

* With \`response: "json"\`, or an \`Accept\` header that allows JSON but not the file, the response is the record of the capture.
* With \`response: "zip"\`, or an \`Accept\` header that prefers \`application/zip\`, the response is an archive of all files and
  \`record.json\`, as from \`GET /v1/captures/{id}/files.zip\`.
* A capture with several outputs or with slices responds with its record instead of a file. Its files are at the \`url\` of each, or in the archive.
* With \`Prefer: wait=N\` (1–120), the response after N seconds is 202 with the job and its \`Location\`; the capture
  continues.
* Without it, the response is sent when the capture ends. If no worker starts it within 30 s, it is canceled and the
  response is \`overloaded\`.
* If the caller disconnects, the capture is canceled and not charged, unless others wait for it, too.
* With \`cache_ttl_s\`, a capture with the same target and options that is young enough answers at once, without a charge;
  identical requests at a time share one visit. \`X-Cache\` says which.
* A request with an \`Idempotency-Key\` can be repeated: the response is the same file, or \`idempotency_in_flight\` while
  the capture is in progress. A capture that was canceled because its caller disconnected is done again.
* A page with status 404 or 500 is captured like any other; \`fail_on_status\` makes it an error.`;

const EXAMPLES = {
  picture: { summary: 'A picture of the first screen', value: { url: 'https://example.com' } },
  full_page: {
    summary: 'The full page as WebP, on a phone, dark',
    value: {
      url: 'https://example.com',
      format: 'webp',
      full_page: true,
      device: 'iphone-15-pro',
      dark_mode: true,
    },
  },
  pdf: {
    summary: 'A PDF with margins',
    value: { url: 'https://example.com', format: 'pdf', pdf_paper: 'a4', pdf_margin_top: '2cm' },
  },
  element: {
    summary: 'One element',
    value: { url: 'https://example.com', selector: 'h1', selector_padding: 16 },
  },
  clean: {
    summary: 'Without ads, chats and consent dialogs, once the page is ready',
    value: { url: 'https://example.com', clean: true, wait_until: 'auto', full_page: true },
  },
  html: {
    summary: 'Your own HTML',
    value: { html: '<h1>Hello</h1>', viewport_width: 600, viewport_height: 200 },
  },
};

const ApiPrefer = (): MethodDecorator =>
  ApiHeader({
    name: 'Prefer',
    required: false,
    description: '`wait=10`: the response is 202 if the capture has not ended after 10 seconds.',
    schema: { type: 'string' },
  });

const ANSWERS = [
  ApiResponse({
    status: 200,
    description: 'The file, the record of the capture, or the archive of all its files.',
    headers: { ...FILE_HEADERS, ...CACHE_HEADERS, ...REPLAYED },
    content: {
      ...FILE_CONTENT,
      ...ARCHIVE_CONTENT,
      'application/json': { schema: ref('CaptureRecord') },
    },
  }),
  ApiResponse({
    status: 202,
    description: 'The wait of `Prefer` is over; the capture continues.',
    headers: locationOf('The job.'),
    content: { 'application/json': { schema: ref('JobRecord') } },
  }),
];

export const DocumentsCapture = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Capture now', description: DESCRIPTION, operationId: 'capturePage' }),
    ApiPrefer(),
    ApiIdempotencyKey(),
    ApiBody({ schema: ref('CaptureOptions'), examples: EXAMPLES }),
    ...ANSWERS,
    ApiProblems(
      'invalid_request',
      'allowance_exhausted',
      'target_forbidden',
      'job_canceled',
      'result_expired',
      'idempotency_in_flight',
      'idempotency_mismatch',
      'payload_too_large',
      'unsupported_media_type',
      ...CAPTURE_ERRORS,
      'concurrency_exceeded',
      'browser_crashed',
      'worker_lost',
      'overloaded',
      'dns_unavailable',
      'storage_unavailable',
      'capture_timeout',
    ),
  );
