import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Job, StoredFile } from '@app/jobs';
import { AppError } from '@app/kernel';
import { Storage, type ByteRange } from '@app/storage';
import type { Request, Response } from 'express';
import { answersNotModified, REVALIDATE, type Caching } from '../http/caching.js';
import { ignoringDisconnect } from '../http/client-disconnect.js';
import { exactLength } from './exact-length.js';
import { LostFilesService } from './lost-files.service.js';
import { RecentFilesService } from './recent-files.service.js';
import { etagOf, fileHeaders, fileOf } from './stored-file.js';

/** How a file is sent. */
interface FileAnswer {
  /** The name of one of several files; without it the first is sent. */
  readonly name?: string;
  readonly caching?: Caching;
  /** Whether others probably ask for the same file now: small ones are then kept in memory. */
  readonly isRepeated?: boolean;
}

/** Sends a file of a job: whole, in part (Range), or not at all (If-None-Match). */
@Injectable()
export class CaptureFileService {
  constructor(
    private readonly storage: Storage,
    private readonly recent: RecentFilesService,
    private readonly lost: LostFilesService,
  ) {}

  /** @throws AppError that says why there is no file, as `fileOf` does; `range_not_satisfiable` */
  async send(
    job: Job,
    response: Response,
    { name, caching = REVALIDATE, ...options }: FileAnswer = {},
  ): Promise<void> {
    const { req: request } = response;
    const file = fileOf(job, name);
    if (answersNotModified(etagOf(file), response, caching)) return;
    const range = requestedRange(request, response, file);
    const headers = { ...fileHeaders(job, file), ...lengthHeaders(file, range), ...caching };
    const kept = options.isRepeated === true ? await this.lost.orExpired(job, this.recent.read(file)) : null;
    if (kept) {
      response.set(headers).status(range ? 206 : 200);
      response.end(range ? kept.subarray(range.start, range.end + 1) : kept);
      return;
    }
    // Opened before any header is sent, so that a missing file is an error and not an empty response.
    const bytes = await this.lost.orExpired(job, this.storage.read(file.key, range));
    response.set(headers).status(range ? 206 : 200);
    if (request.method === 'HEAD') {
      bytes.destroy();
      response.end();
      return;
    }
    const length = lengthOf(file, range);
    await ignoringDisconnect(
      pipeline(bytes, (chunks: AsyncIterable<Uint8Array>) => exactLength(length, chunks), response),
    );
  }
}

function lengthOf({ bytes }: StoredFile, range: ByteRange | undefined): number {
  return range ? range.end - range.start + 1 : bytes;
}

function lengthHeaders(file: StoredFile, range: ByteRange | undefined): Record<string, string> {
  const length = { 'Content-Length': String(lengthOf(file, range)) };
  if (!range) return length;
  const { start, end } = range;
  return { ...length, 'Content-Range': `bytes ${start}-${end}/${file.bytes}` };
}

/** Undefined means the whole file, which RFC 9110 allows for several ranges and for malformed ones. */
function requestedRange(request: Request, response: Response, file: StoredFile): ByteRange | undefined {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const ifRange = request.get('if-range');
  if (!isRead || (ifRange !== undefined && ifRange !== etagOf(file))) return undefined;
  const ranges = request.range(file.bytes);
  if (ranges === -1) {
    response.setHeader('Content-Range', `bytes */${file.bytes}`);
    throw new AppError('range_not_satisfiable', { detail: `The file is ${file.bytes} bytes long.` });
  }
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1)
    return undefined;
  return ranges[0];
}
