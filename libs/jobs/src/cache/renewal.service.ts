import { Injectable, Logger } from '@nestjs/common';
import { restoreOptions, type CaptureOptions } from '@app/capture';
import { AppError, ConcurrencyLimit } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import { CacheEntryRepository, type StaleCapture } from './cache-entry.repository.js';

/** A capture that answers thousands of times a second is looked at once in this time by each process. */
const LOOK_EVERY_MS = 1_000;
const MAX_LOOKED = 10_000;

/** Captures that one statement looks at. */
const LOOKED_AT_ONCE = 500;

/** Jobs that are submitted at once: they share commits, and leave connections of the pool to callers. */
const SUBMITTED_AT_ONCE = 8;

/** A job that makes a stale capture again. */
export interface RenewalRequest {
  readonly accountId: string;
  readonly source: 'job';
  readonly options: CaptureOptions;
  readonly renews: true;
}

/** The way in for the jobs that renew captures. The acceptance of jobs implements it, and itself asks the cache. */
export abstract class RenewalAcceptance {
  abstract accept(request: RenewalRequest): Promise<unknown>;
}

/** Makes captures again, in the background, that answered although they were stale. */
@Injectable()
export class RenewalService {
  private readonly logger = new Logger(RenewalService.name);
  private readonly submitting = new ConcurrencyLimit(SUBMITTED_AT_ONCE);
  private readonly looked = new LRUCache<string, true>({ max: MAX_LOOKED, ttl: LOOK_EVERY_MS });

  constructor(
    private readonly entries: CacheEntryRepository,
    private readonly acceptance: RenewalAcceptance,
  ) {}

  /**
   * Submits a job for each of these captures that no other one replaces already, at most one in ten seconds for each entry of
   * the cache, whichever process calls this. The job is charged as any other. It never rejects: what cannot be made now, for
   * example because the allowance is exhausted, is left to a later stale answer.
   *
   * @param captureIds as entries of the cache name them, after the transaction that answered with them
   */
  async renew(captureIds: readonly string[]): Promise<void> {
    const due = this.notLookedAt(captureIds);
    for (let i = 0; i < due.length; i += LOOKED_AT_ONCE) {
      try {
        const claimed = await this.entries.claimRenewals(due.slice(i, i + LOOKED_AT_ONCE));
        await Promise.all(claimed.map((capture) => this.submitting.run(() => this.submit(capture))));
      } catch (error) {
        this.logger.warn({ err: error }, 'stale captures were not made again');
      }
    }
  }

  /** Returns the captures that this process has not looked at in the last second, and notes that it looks at them now. */
  private notLookedAt(captureIds: readonly string[]): string[] {
    const due = [...new Set(captureIds)].filter((id) => !this.looked.has(id));
    for (const id of due) this.looked.set(id, true);
    return due;
  }

  private async submit({ id, accountId, options }: StaleCapture): Promise<void> {
    try {
      await this.acceptance.accept({
        accountId,
        source: 'job',
        options: toBackground(options),
        renews: true,
      });
    } catch (error) {
      const isRefused = error instanceof AppError;
      this.logger[isRefused ? 'debug' : 'warn'](
        { err: error, job_id: id },
        'a stale capture was not made again',
      );
    }
  }
}

/** The reference and the kind of response belong to the request that made the capture, not to the capture. */
function toBackground({
  reference: _reference,
  response: _response,
  ...options
}: StaleCapture['options']): CaptureOptions {
  return restoreOptions(options, null);
}
