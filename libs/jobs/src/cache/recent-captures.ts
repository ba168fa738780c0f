import { LRUCache } from 'lru-cache';
import type { Job } from '../job/job.entity.js';
import type { CachedCapture, CacheKey } from './cache-entry.repository.js';

/** How long a capture that the cache holds is known here before the database is asked again: others may renew or delete it. */
const KNOWN_MS = 4_000;
const MAX_KNOWN = 10_000;

/** A capture with its age at a time of this process's monotonic clock, which no change of the date moves. */
interface KnownCapture {
  readonly capture: Job;
  readonly ageMs: number;
  readonly at: number;
}

/**
 * The captures of the cache that this process has read in the last seconds, so that they answer without a query. Equal lookups
 * at a time are one query. It only saves reads: who leads and who follows is decided by the rows.
 */
export class RecentCaptures {
  private readonly known = new LRUCache<string, KnownCapture>({ max: MAX_KNOWN, ttl: KNOWN_MS });
  /** Captures that were deleted while they may have been known here, or were just being read. */
  private readonly deleted = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: 2 * KNOWN_MS });
  private readonly reading = new Map<string, Promise<KnownCapture | null>>();

  /** @param readLatest reads the latest capture of an entry, however old it is */
  constructor(private readonly readLatest: (entry: CacheKey) => Promise<CachedCapture | null>) {}

  /** Finds the latest capture of an entry, however old it is. */
  async findLatest(entry: CacheKey): Promise<CachedCapture | null> {
    const name = nameOf(entry);
    const known = this.known.get(name);
    const found = known && this.exists(known) ? known : await this.read(name, entry);
    if (!found || !this.exists(found)) return null;
    const ageMs = found.ageMs + performance.now() - found.at;
    return { capture: found.capture, ageS: Math.floor(ageMs / 1_000) };
  }

  /** Knows a capture that has just succeeded, instead of an older one. */
  remember(entry: CacheKey, capture: Job): void {
    this.known.set(nameOf(entry), knownFrom({ capture, ageS: 0 }));
  }

  forget(entry: CacheKey): void {
    this.known.delete(nameOf(entry));
  }

  /** Finds this capture no more, not even when it was read before it was deleted. */
  forgetDeleted(captureId: string): void {
    this.deleted.set(captureId, true);
  }

  private exists({ capture }: KnownCapture): boolean {
    return !this.deleted.has(capture.id);
  }

  private read(name: string, entry: CacheKey): Promise<KnownCapture | null> {
    const reading =
      this.reading.get(name) ?? this.readNow(name, entry).finally(() => this.reading.delete(name));
    this.reading.set(name, reading);
    return reading;
  }

  /** An entry without a capture is not kept: the next request would not see the capture that answers it. */
  private async readNow(name: string, entry: CacheKey): Promise<KnownCapture | null> {
    const latest = await this.readLatest(entry);
    if (!latest) return null;
    const found = knownFrom(latest);
    this.known.set(name, found);
    return found;
  }
}

function knownFrom({ capture, ageS }: CachedCapture): KnownCapture {
  return { capture, ageMs: ageS * 1_000, at: performance.now() };
}

function nameOf({ accountId, key }: CacheKey): string {
  return `${accountId} ${key.toString('base64')}`;
}
