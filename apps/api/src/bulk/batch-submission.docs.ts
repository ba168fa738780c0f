import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { MAX_BAD_ROWS, MAX_FAULTS, MAX_ROWS } from '@app/bulk';
import { CaptureOptions } from '@app/capture';
import { locationOf, REPLAYED } from '../openapi/headers.docs.js';
import { ApiIdempotencyKey, ApiOptionQueries, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems, SUBMISSION_ERRORS } from '../openapi/problems.docs.js';
import { ref } from '../openapi/schemas.js';
import { BATCH_EXAMPLES } from './batch.schemas.js';
import { CsvBatchQuery } from './csv-batch.query.js';
import { DryRunQuery } from './submission.fields.js';

const SHARED = `* All rows are validated before any is stored; each fault in \`errors\` has its row, counted from 1, and its column.
* \`on_invalid=reject\` is the default: one invalid row, and nothing is stored. At the ${MAX_BAD_ROWS}th one, or the ${MAX_FAULTS}th error, checking stops, and
  \`rows_checked\` says how many were; a dry run checks all. With \`skip\`, invalid rows are part of the
  batch as failed with \`invalid_request\`; they are not charged.
* The allowance is reserved for the whole batch, or the batch is refused.
* \`dry_run=true\` only reports what would be accepted.
* A batch has up to ${MAX_ROWS} rows and 10 MB after decompression. At most 4 rows of one host run at once.`;

const JSON_BATCH = `Accepts many captures and responds immediately with their batch.

${SHARED}
* \`defaults\` apply to every row that does not set the option itself. \`null\` in a row removes a default: the option is
  unset for that row.
* \`retry_failed_of\` captures the failed rows of a finished batch again, as a new batch with the same row numbers.
  Secrets (\`headers\`, \`cookies\`, \`basic_auth_*\`) are deleted when a capture ends: set them in \`defaults\` again.`;

const CSV_BATCH = `Accepts many captures from a CSV, as the body or as the only file of a form, and responds immediately with their batch.

${SHARED}
* The first line names the columns; each is an option of a capture. \`url\` is required, unless it or \`html\` is a default.
  For an empty cell the default applies; \`!\` removes it. Lists and objects are written as JSON.
* The file is UTF-8, with or without a byte order mark. It is separated by commas, semicolons or tabs, its lines end in LF,
  CRLF or CR, and cells may be quoted (RFC 4180). Row numbers count neither the header nor blank lines; \`line\` is the line
  of the file.
* Defaults are query parameters: any option by its name, or several in \`defaults\`, a JSON object.`;

const JSON_EXAMPLES = {
  pages: {
    summary: 'Three pages, one of them as PDF',
    value: {
      defaults: { format: 'webp', full_page: true, clean: true },
      items: [
        { reference: 'home', url: 'https://example.com' },
        { reference: 'about', url: 'https://example.com/about', dark_mode: true },
        { reference: 'terms', url: 'https://example.com/terms', format: 'pdf', full_page: null },
      ],
      on_invalid: 'skip',
      webhook_url: 'https://example.com/webhooks/capture',
    },
  },
  retry: {
    summary: 'Retry the failed rows of a batch',
    value: { retry_failed_of: BATCH_EXAMPLES.BatchRecord.id, defaults: { timeout_ms: 120_000 } },
  },
};

const CSV_EXAMPLE = `reference,url,format,viewport_width,clean,hide_selectors
home,https://example.com,webp,,true,"["".banner""]"
about,https://example.com/about,,800,,
`;

const ApiAnswers = (): MethodDecorator =>
  applyDecorators(
    ApiResponse({
      status: 202,
      description: 'The batch is accepted.',
      headers: { ...locationOf('The batch.'), ...REPLAYED },
      content: { 'application/json': { schema: ref('AcceptedBatch') } },
    }),
    ApiResponse({
      status: 200,
      description: 'With `dry_run=true`: what would be accepted.',
      content: { 'application/json': { schema: ref('BatchVerdict') } },
    }),
  );

/** The errors of both routes. */
const PROBLEMS = [...SUBMISSION_ERRORS, 'overloaded', 'storage_unavailable'] as const;

export const DocumentsJsonBatch = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Submit a batch as JSON',
      description: JSON_BATCH,
      operationId: 'submitJsonBatch',
    }),
    ApiIdempotencyKey(),
    ApiQueryOf(DryRunQuery),
    ApiBody({ schema: ref('JsonBatchRequest'), examples: JSON_EXAMPLES }),
    ApiAnswers(),
    ApiProblems(...PROBLEMS, 'not_found', 'job_not_finished'),
  );

export const DocumentsCsvBatch = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Submit a batch as CSV',
      description: CSV_BATCH,
      operationId: 'submitCsvBatch',
      requestBody: {
        required: true,
        content: {
          'text/csv': { schema: { type: 'string' }, example: CSV_EXAMPLE },
          'multipart/form-data': {
            schema: {
              type: 'object',
              additionalProperties: false,
              required: ['file'],
              properties: { file: { type: 'string', format: 'binary', description: 'The CSV.' } },
            },
          },
        },
      },
    }),
    ApiIdempotencyKey(),
    ApiQueryOf(CsvBatchQuery, {
      defaults: {
        ...ref('CaptureOptions'),
        description: 'Options of every row that does not set them itself.',
        example: { format: 'pdf', pdf_landscape: true },
      },
    }),
    ApiOptionQueries(CaptureOptions),
    ApiAnswers(),
    ApiProblems('invalid_csv', ...PROBLEMS),
  );
