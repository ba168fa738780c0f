import { Injectable } from '@nestjs/common';
import { create } from 'content-disposition';
import { isPicture } from '@app/capture';
import type { Job, StoredFile } from '@app/jobs';
import { AppError } from '@app/kernel';
import type { Response } from 'express';
import { answersNotModified } from '../http/caching.js';
import { CAPTURED } from '../http/captured-content.js';
import { disconnectOf } from '../http/client-disconnect.js';
import { LostFilesService } from './lost-files.service.js';
import { captureHeaders, fileOf, storedFilesOf } from './stored-file.js';
import { ThumbnailsService, type ShownPicture } from './thumbnails.service.js';

/**
 * A gallery asks for each thumbnail again whenever it is drawn, and each request counts. The thumbnail of a capture never
 * changes; a caller's own browser may show one that was deleted, for up to an hour.
 */
const CACHING = { 'Cache-Control': 'private, max-age=3600, immutable' } as const;

/** What a browser has kept of one key must not be shown for another. */
const VARY = 'Authorization, X-API-Key';

/** Differs when thumbnails are made in another way. */
const VERSION = 1;

/** Sends the thumbnail of a job. */
@Injectable()
export class CaptureThumbnailService {
  constructor(
    private readonly thumbnails: ThumbnailsService,
    private readonly lost: LostFilesService,
  ) {}

  /** @throws AppError that says why there is none: `no_picture`, `job_not_finished`, `result_expired`, `rate_limited` or `overloaded` */
  async send(job: Job, response: Response): Promise<void> {
    response.vary(VARY);
    await this.sendShown(job, { file: pictureOf(job), etag: `t${VERSION}` }, response);
  }

  /**
   * Sends a part of a picture, small, as mail programs and chats show it.
   *
   * @throws AppError as `send`, and `not_found` for an unknown name
   */
  async sendPart(
    job: Job,
    { name, around }: { readonly name: string | null; readonly around: number },
    response: Response,
  ): Promise<void> {
    const file = name === null ? pictureOf(job) : fileOf(job, name);
    if (!isPicture(file.format)) throw none('The file is not a picture.');
    await this.sendShown(job, { file: { ...file, around }, etag: `p${VERSION}-${around}` }, response);
  }

  private async sendShown(
    job: Job,
    { file, etag: version }: { readonly file: ShownPicture; readonly etag: string },
    response: Response,
  ): Promise<void> {
    const etag = `"${file.sha256}-${version}"`;
    if (answersNotModified(etag, response, CACHING)) return;
    const gone = disconnectOf(response);
    const thumbnail = await this.lost
      .orExpired(job, this.thumbnails.thumbnailOf(file, job.accountId, gone))
      .catch((error: unknown) => (gone.aborted ? null : Promise.reject(error as Error)));
    if (!thumbnail) return;
    const type = file.around === undefined ? 'webp' : 'jpeg';
    response
      .set({
        'Content-Type': `image/${type}`,
        'Content-Disposition': create(`${job.host ?? 'capture'}-thumbnail.${type}`, { type: 'inline' }),
        'Content-Length': String(thumbnail.byteLength),
        ...CAPTURED,
        ...captureHeaders(job),
        ...CACHING,
        ETag: etag,
      })
      .end(response.req.method === 'HEAD' ? undefined : thumbnail);
  }
}

/** The first file of the job that is a picture. */
function pictureOf(job: Job): StoredFile {
  const isWithout = job.status === 'failed' || job.status === 'canceled';
  if (isWithout && !job.deletedAt) throw none(`The capture is ${job.status}.`);
  const picture = storedFilesOf(job).find(({ format }) => isPicture(format));
  if (!picture) throw none('None of the files of the capture is a picture.');
  return picture;
}

function none(detail: string): AppError {
  return new AppError('no_picture', { detail });
}
