import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { RESULT_COLUMNS } from '@app/bulk';
import { ApiId } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { ARCHIVE_CONTENT, disposition } from '../captures/capture-files.docs.js';
import { PATH_COLUMN } from './batch-archive.service.js';

const DOWNLOAD = `The results as CSV (RFC 4180, UTF-8, with a header), one line for each row of the batch, in row order. It is available
while the batch runs: each row has its state at the time it is read.

* A cell that begins with \`=\`, \`+\`, \`-\`, \`@\`, a tab or CR is prefixed with \`'\`, so that no spreadsheet evaluates it.
* A row whose record has expired is left out, and \`result_url\` is empty when the file is deleted.
* If the download fails midway, the connection is aborted: a response that ends normally is complete.`;

export const DocumentsBatchDownload = (): MethodDecorator =>
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
      headers: disposition('attachment; filename=batch-….csv'),
      content: {
        'text/csv': { schema: { type: 'string' }, example: `${RESULT_COLUMNS.join(',')}\r\n` },
      },
    }),
    ApiProblems('not_found'),
  );

const ARCHIVE = `All files of the batch and \`results.csv\` as a zip archive, which is written while it is sent.

* The only file of a row is \`00001-<reference or host>.png\`; of several files, each is \`00001-<reference or host>/<name>.png\`.
  The number is that of the row. Characters that file systems refuse are replaced, and long references are cut.
* \`results.csv\` is the last file. It is that of \`GET /v1/bulk/{id}/download\` with one more column, \`${PATH_COLUMN}\`:
  the file or the folder of the row, or empty if the archive has no file of it, because the row failed, or its file has
  expired, or was deleted before its turn came.
* It is available while the batch runs, and holds the files of the rows that have succeeded when their turn comes.
* Pictures and PDFs are stored as they are, texts are compressed. The archive uses Zip64 where it is too large otherwise.
* There are no ranges. If the download fails midway, the connection is aborted: the archive has no table of contents.`;

export const DocumentsBatchArchive = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Download all files of a batch',
      description: ARCHIVE,
      operationId: 'downloadBatchFiles',
    }),
    ApiId(),
    ApiResponse({
      status: 200,
      description: 'The archive.',
      headers: disposition('attachment; filename=batch-….zip'),
      content: ARCHIVE_CONTENT,
    }),
    ApiProblems('not_found', 'storage_unavailable'),
  );
