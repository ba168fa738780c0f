import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { JobsService, toCaptureRecord, type Job } from '@app/jobs';
import { Storage } from '@app/storage';
import { create } from 'content-disposition';
import type { Response } from 'express';
import { answersNotModified, REVALIDATE, type Caching } from '../http/caching.js';
import { CAPTURED } from '../http/captured-content.js';
import { ARCHIVE_TYPE, archiveBytes, ArchiveService, storedEntry } from './archive.service.js';
import type { ArchiveEntry, EntryHead, StoredEntry } from './archive.service.js';
import { entryName } from './entry-name.js';
import { LostFilesService } from './lost-files.service.js';
import { archiveName, captureHeaders, storedFilesOf } from './stored-file.js';

/** Changes with the layout of the archive, so that no caller keeps an archive of an earlier one. */
const LAYOUT = 1;

/** A longer record, such as one with the metadata of a large page, is compressed. */
const MAX_STORED_RECORD_BYTES = 16 * 1024;

/** What the archive of a capture holds. */
interface Contents {
  readonly files: readonly StoredEntry[];
  readonly record: EntryHead & { readonly bytes: number; readonly text: string };
}

/** Sends all files of a capture and its record as one archive. The same capture always makes the same archive. */
@Injectable()
export class CaptureArchiveService {
  constructor(
    private readonly jobs: JobsService,
    private readonly storage: Storage,
    private readonly archives: ArchiveService,
    private readonly lost: LostFilesService,
  ) {}

  /** @throws AppError that says why there are no files, as `storedFilesOf` does */
  async send(job: Job, response: Response, caching: Caching = REVALIDATE): Promise<void> {
    const contents = contentsOf(await this.jobs.withPageLists(job));
    const etag = etagOf(contents);
    if (answersNotModified(etag, response, caching)) return;
    await this.assertStored(job, contents.files);
    const headers = { ...headersOf(job, contents), ETag: etag, ...caching };
    if (response.req.method === 'HEAD') response.set(headers).end();
    else await this.archives.send(this.entries(job, contents), headers, response);
  }

  /** Files are deleted together, but a store may have lost one: an archive without it would be an error midway. */
  private async assertStored(job: Job, files: readonly StoredEntry[]): Promise<void> {
    await this.lost.orExpired(
      job,
      Promise.all(
        // An empty file has no first byte to ask for.
        files
          .filter(({ bytes }) => bytes > 0)
          .map(async ({ key }) => {
            const probe = await this.storage.read(key, { start: 0, end: 0 });
            probe.on('error', () => undefined).destroy();
          }),
      ),
    );
  }

  private async *entries(job: Job, { files, record }: Contents): AsyncGenerator<ArchiveEntry> {
    for (const file of files) yield await this.lost.orExpired(job, this.archives.open(file));
    const { text, ...head } = record;
    yield { ...head, content: Readable.from([Buffer.from(text)], { objectMode: false }) };
  }
}

function contentsOf(job: Job): Contents {
  const modifiedAt = job.finishedAt ?? job.createdAt;
  const files = storedFilesOf(job).map((file) => storedEntry(file, { path: entryName(file), modifiedAt }));
  const text = `${JSON.stringify(toCaptureRecord(job), null, 2)}\n`;
  const bytes = Buffer.byteLength(text);
  const compress = bytes > MAX_STORED_RECORD_BYTES;
  return { files, record: { path: 'record.json', modifiedAt, compress, bytes, text } };
}

/** The record names each file with the SHA-256 of its bytes. */
function etagOf({ files, record }: Contents): string {
  const hash = createHash('sha256').update(`${LAYOUT}\n`);
  for (const { path } of files) hash.update(`${path}\n`);
  return `"${hash.update(record.text).digest('hex')}"`;
}

function headersOf(job: Job, { files, record }: Contents): Record<string, string> {
  const bytes = archiveBytes([...files, record]);
  return {
    'Content-Type': ARCHIVE_TYPE,
    'Content-Disposition': create(archiveName(job)),
    'Accept-Ranges': 'none',
    ...(bytes !== undefined && { 'Content-Length': String(bytes) }),
    ...CAPTURED,
    ...captureHeaders(job),
  };
}
