import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ResultsCsvService, type Batch } from '@app/bulk';
import { FORMATS } from '@app/capture';
import { BatchRowExportRepository, type RowWithFiles } from '@app/jobs';
import { Clock } from '@app/kernel';
import { FileNotFoundError } from '@app/storage';
import { create } from 'content-disposition';
import type { Response } from 'express';
import { ARCHIVE_TYPE, ArchiveService, storedEntry } from '../captures/archive.service.js';
import type { ArchiveEntry, StoredEntry } from '../captures/archive.service.js';
import { entryName, rowPath, type NamedFile } from '../captures/entry-name.js';
import { CAPTURED } from '../http/captured-content.js';

/** The column of results.csv that says where the files of a row are. */
export const PATH_COLUMN = 'archive_path';

/** Sends the files of a batch and its results as one archive, reading files and rows only as fast as the caller reads. */
@Injectable()
export class BatchArchiveService {
  constructor(
    private readonly rows: BatchRowExportRepository,
    private readonly results: ResultsCsvService,
    private readonly archives: ArchiveService,
    private readonly clock: Clock,
  ) {}

  async send(batch: Batch, response: Response): Promise<void> {
    const headers = headersOf(batch);
    if (response.req.method === 'HEAD') response.set(headers).end();
    else await this.archives.send(this.entries(batch), headers, response);
  }

  /** The results come last, so that they can say which files are there: some may have been deleted in the meantime. */
  private async *entries(batch: Batch): AsyncGenerator<ArchiveEntry> {
    const paths = new Map<number, string>();
    for await (const row of this.rows.files(batch.id)) {
      for (const file of entriesOf(row)) {
        const entry = await this.openIfThere(file);
        if (!entry) continue;
        paths.set(row.row, row.files.length > 1 ? `${rowPath(row)}/` : file.path);
        yield entry;
      }
    }
    yield {
      path: 'results.csv',
      modifiedAt: batch.finishedAt ?? this.clock.now(),
      compress: true,
      content: Readable.from(this.results.write(batch.id, { name: PATH_COLUMN, cells: paths }), {
        objectMode: false,
      }),
    };
  }

  private async openIfThere(file: StoredEntry): Promise<ArchiveEntry | undefined> {
    try {
      return await this.archives.open(file);
    } catch (error) {
      if (error instanceof FileNotFoundError) return undefined;
      throw error;
    }
  }
}

function entriesOf(row: RowWithFiles): StoredEntry[] {
  const path = rowPath(row);
  const pathOf = (file: NamedFile): string =>
    row.files.length > 1 ? `${path}/${entryName(file)}` : `${path}.${FORMATS[file.format].extension}`;
  return row.files.map((file) => storedEntry(file, { path: pathOf(file), modifiedAt: row.finishedAt }));
}

function headersOf({ id }: Batch): Record<string, string> {
  return {
    'Content-Type': ARCHIVE_TYPE,
    'Content-Disposition': create(`batch-${id}.zip`),
    'Accept-Ranges': 'none',
    ...CAPTURED,
  };
}
