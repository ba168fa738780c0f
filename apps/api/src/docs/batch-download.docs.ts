import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { RESULT_COLUMNS } from '@app/bulk';
import { ApiId } from './captures.docs.js';
import { ApiProblems } from './problems.docs.js';

const DOWNLOAD = `The results as CSV (RFC 4180, UTF-8, with a header), a line for each row of the batch, in row order. It works while the
batch runs: each row is written as it is when it is read.

* A cell that begins with \`=\`, \`+\`, \`-\`, \`@\`, a tab or CR has a \`'\` before it, so that no spreadsheet runs it.
* A row whose record is too old to be kept is left out, and \`result_url\` is empty once a file is gone.
* A download that cannot be finished breaks its connection: a response that ends normally is complete.`;

export const DocumentsDownload = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Download the results',
      description: DOWNLOAD,
      operationId: 'downloadBatchResults',
    }),
    ApiId(),
    ApiResponse({
      status: 200,
      description: 'The file.',
      headers: {
        'Content-Disposition': {
          description: 'Name of the file.',
          schema: { type: 'string', example: 'attachment; filename=batch-….csv' },
        },
      },
      content: {
        'text/csv': { schema: { type: 'string' }, example: `${RESULT_COLUMNS.join(',')}\r\n` },
      },
    }),
    ApiProblems('not_found'),
  );
