import { Readable, type PassThrough } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Format } from '@app/capture';
import { Storage } from '@app/storage';
import type { Response } from 'express';
import { ZipFile } from 'yazl';
import { ignoringDisconnect } from '../http/client-disconnect.js';
import { DrainService } from '../http/drain.service.js';
import { isCompressed } from './entry-name.js';
import { exactLength } from './exact-length.js';

/** What the archive says about one of its files before it has been read. */
export interface EntryHead {
  /** Its path in the archive. */
  readonly path: string;
  readonly modifiedAt: Date;
  /** False for what is compressed already. */
  readonly compress: boolean;
  /** Undefined for a text that is written while it is sent. */
  readonly bytes?: number;
}

/** One file of an archive, which is read next. */
export interface ArchiveEntry extends EntryHead {
  readonly content: Readable;
  /** What the content is read from, if it is not the content itself. */
  readonly source?: Readable;
}

/** A stored file, to be read for an archive. */
export interface StoredEntry extends EntryHead {
  readonly key: string;
  readonly bytes: number;
}

export function storedEntry(
  { format, key, bytes }: { readonly format: Format; readonly key: string; readonly bytes: number },
  { path, modifiedAt }: Pick<EntryHead, 'path' | 'modifiedAt'>,
): StoredEntry {
  return { path, modifiedAt, compress: !isCompressed(format), key, bytes };
}

export const ARCHIVE_TYPE = 'application/zip';

/**
 * Sends files as a zip archive while they are read, one after the other and only as fast as the caller reads: neither a
 * file nor the archive is held in memory. All that grows is the table of contents, by half a kilobyte for each file.
 */
@Injectable()
export class ArchiveService {
  constructor(
    private readonly storage: Storage,
    private readonly drain: DrainService,
  ) {}

  /**
   * The headers are sent once the first entry is there: until then, what fails is an error. From then on the connection is
   * cut, so that the caller notices: what it has received has no table of contents.
   *
   * @param entries is returned as soon as the caller disconnects
   */
  async send(
    entries: AsyncGenerator<ArchiveEntry>,
    headers: Readonly<Record<string, string>>,
    response: Response,
  ): Promise<void> {
    // The shutdown waits until no entry is read any more, which needs the store and the database.
    await this.drain.finish(stream(entries, headers, response));
  }

  /**
   * Opens a stored file, which fails when it is not as long as its record says.
   *
   * @throws FileNotFoundError
   */
  async open({ key, ...head }: StoredEntry): Promise<ArchiveEntry> {
    const source = await this.storage.read(key);
    // A file may fail while the one before it is still being sent: the error comes up once the file is read.
    source.on('error', () => undefined);
    const content = Readable.from(exactLength(head.bytes, source), { objectMode: false });
    return { ...head, content, source };
  }
}

async function stream(
  entries: AsyncGenerator<ArchiveEntry>,
  headers: Readonly<Record<string, string>>,
  response: Response,
): Promise<void> {
  const first = await entries.next();
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  const disconnect = new AbortController();
  response.status(200).set(headers);
  const sent = ignoringDisconnect(pipeline(output, passOn, response)).finally(() => {
    disconnect.abort();
  });
  const fail = (error: unknown): void => {
    output.destroy(error as Error);
  };
  zip.once('error', fail);
  const filled = fill(zip, startingWith(first, entries), disconnect.signal).catch(fail);
  try {
    await sent;
  } finally {
    await filled;
  }
}

/** A stream that is piped straight into the response adds more listeners to it than Node allows without a warning. */
async function* passOn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}

async function* startingWith(
  first: IteratorResult<ArchiveEntry, unknown>,
  rest: AsyncGenerator<ArchiveEntry>,
): AsyncGenerator<ArchiveEntry> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** The next entry is opened when the content of the last one has been read. */
async function fill(
  zip: ZipFile,
  entries: AsyncGenerator<ArchiveEntry>,
  disconnect: AbortSignal,
): Promise<void> {
  for await (const { content, source, ...head } of entries) {
    const close = (): void => {
      // Both, because one that waits for the other is not closed before it.
      source?.destroy();
      content.destroy();
    };
    const read = finished(content, { writable: false });
    if (disconnect.aborted) close();
    else disconnect.addEventListener('abort', close, { once: true });
    add(zip, head, content);
    await read.finally(() => {
      disconnect.removeEventListener('abort', close);
    });
  }
  zip.end();
}

/** Adds an entry so that the archive keeps little of it until its end. */
function add(zip: ZipFile, head: EntryHead, content: Readable): void {
  // The library keeps what its callback refers to.
  let unread: Readable | undefined = content;
  zip.addReadStreamLazy(head.path, optionsOf(head), (callback) => {
    const next = unread as Readable;
    unread = undefined;
    callback(null, next);
  });
  // It also keeps the name as a slice of Node's pool, of which each name would keep another 64 kB.
  const { entries } = zip as unknown as { readonly entries: { utf8FileName: Buffer }[] };
  const entry = entries.at(-1);
  if (entry) entry.utf8FileName = Buffer.from(Uint8Array.from(entry.utf8FileName).buffer);
}

function optionsOf({ modifiedAt, compress, bytes }: EntryHead) {
  return { mtime: modifiedAt, compress, ...(bytes !== undefined && { size: bytes }) };
}

/** The size of an archive of these entries, in bytes; undefined if one is compressed. */
export function archiveBytes(entries: readonly EntryHead[]): number | undefined {
  const zip = new ZipFile();
  // Nothing is read: the library adds up the sizes of the entries and of their headers.
  for (const entry of entries) zip.addReadStreamLazy(entry.path, optionsOf(entry), () => undefined);
  let size = -1;
  const learn = (total: number): void => {
    size = total;
  };
  zip.end({ forceZip64Format: false, comment: '' }, learn as () => void);
  return size < 0 ? undefined : size;
}
