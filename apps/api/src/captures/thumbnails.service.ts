import { buffer } from 'node:stream/consumers';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { JobSignalsService, type StoredFile } from '@app/jobs';
import { AppError, ConcurrencyLimit, unlessAborted } from '@app/kernel';
import { FileNotFoundError, Storage } from '@app/storage';
import { LRUCache } from 'lru-cache';
import { isDecodedAsAWhole, makeThumbnail, TooManyPixelsError } from './thumbnail.js';

/** About 6,000 thumbnails. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Each occupies one of Node's four threads, which files and DNS need as well, and holds one picture in memory. */
const MAX_AT_ONCE = 2;
/** A gallery shows about 100 at once. */
const MAX_OF_ACCOUNT = 200;
/** Those that wait hold no picture yet. */
const MAX_OF_ALL = 2_000;
const RETRY_AFTER_S = 2;

/** A picture, and which part of it is shown: the top, or the part around a distance from it in px. */
export type ShownPicture = StoredFile & { readonly around?: number };

/** A thumbnail in the making, for all who ask for it. */
interface Making {
  readonly accountId: string;
  readonly thumbnail: Promise<Buffer>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Makes thumbnails, and keeps those of a short time ago in memory. A key always stands for the same bytes, so that nothing
 * here is ever out of date. What a caller deletes does not stay here. A thumbnail that nobody waits for any more is not begun.
 * Accounts take turns, so that the gallery of one does not wait for all of those of another.
 */
@Injectable()
export class ThumbnailsService implements OnModuleInit {
  private readonly logger = new Logger(ThumbnailsService.name);
  private readonly known = new LRUCache<string, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength,
  });
  private readonly makings = new Map<string, Making>();
  private readonly limit = new ConcurrencyLimit(MAX_AT_ONCE);
  /** Pictures that are decoded as a whole, in up to 0.9 GB each. */
  private readonly wholeLimit = new ConcurrencyLimit(1);

  constructor(
    private readonly storage: Storage,
    private readonly signals: JobSignalsService,
  ) {}

  onModuleInit(): void {
    this.signals.on('forgotten', (captureId) => {
      for (const kept of [this.known, this.makings]) {
        for (const key of [...kept.keys()]) if (key.includes(`/${captureId}/`)) kept.delete(key);
      }
    });
  }

  /**
   * The thumbnail of a picture of an account.
   *
   * @throws AppError `no_picture` when none can be made, `rate_limited` when too many of the account wait, `overloaded` when
   *   too many of all wait; FileNotFoundError; the reason of `signal`
   */
  async thumbnailOf(file: ShownPicture, accountId: string, signal: AbortSignal): Promise<Buffer> {
    const key = keyOf(file);
    const known = this.known.get(key);
    if (known) return known;
    const making = this.makings.get(key) ?? this.begin(file, accountId);
    making.waiting += 1;
    try {
      return await unlessAborted(making.thumbnail, signal);
    } finally {
      making.waiting -= 1;
      if (making.waiting === 0) {
        if (this.makings.get(key) === making) this.makings.delete(key);
        making.stop.abort();
      }
    }
  }

  private begin(file: ShownPicture, accountId: string): Making {
    const key = keyOf(file);
    this.checkRoom(accountId);
    const stop = new AbortController();
    const inTurn = (): Promise<Buffer> => this.limit.run(() => this.make(file), stop.signal, accountId);
    const thumbnail = isDecodedAsAWhole(file.format)
      ? this.wholeLimit.run(inTurn, stop.signal, accountId)
      : inTurn();
    // Nobody may be waiting when it fails.
    thumbnail.catch(() => undefined);
    const making = { accountId, thumbnail, stop, waiting: 0 };
    this.makings.set(key, making);
    void thumbnail.then(
      (made) => {
        // Not what was deleted meanwhile.
        if (this.makings.get(key) === making) this.known.set(key, made);
      },
      () => undefined,
    );
    return making;
  }

  private checkRoom(accountId: string): void {
    const ofAccount = [...this.makings.values()].filter((making) => making.accountId === accountId);
    if (ofAccount.length >= MAX_OF_ACCOUNT) {
      throw new AppError('rate_limited', {
        detail: `An account may wait for ${MAX_OF_ACCOUNT} thumbnails at once. Ask for fewer at a time, and for this one after Retry-After seconds.`,
        retryAfterS: RETRY_AFTER_S,
      });
    }
    if (this.makings.size >= MAX_OF_ALL) {
      throw new AppError('overloaded', {
        detail: 'Too many thumbnails are being made. Retry after Retry-After seconds.',
        retryAfterS: RETRY_AFTER_S,
      });
    }
  }

  private async make({ key, format, around }: ShownPicture): Promise<Buffer> {
    const picture = await buffer(await this.storage.read(key));
    try {
      return await makeThumbnail(picture, format, around);
    } catch (cause) {
      if (cause instanceof FileNotFoundError) throw cause;
      const isTooLarge = cause instanceof TooManyPixelsError;
      if (!isTooLarge) this.logger.warn({ err: cause }, 'a thumbnail could not be made');
      const reason = isTooLarge ? 'is too large for a thumbnail' : 'cannot be read as a picture';
      throw new AppError('no_picture', { detail: `The file of the capture ${reason}.`, cause });
    }
  }
}

function keyOf({ key, around }: ShownPicture): string {
  return around === undefined ? key : `${key}#${around}`;
}
