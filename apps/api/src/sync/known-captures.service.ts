import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { CaptureOptions } from '@app/capture';
import {
  CacheDemandService,
  CacheEntryRepository,
  freshnessOf,
  JobSignalsService,
  type Job,
  type CachedCapture,
  type CacheDemand,
  type CacheUse,
} from '@app/jobs';
import { LRUCache } from 'lru-cache';

/** How long a capture that the cache holds is known here before the database is asked again: others may renew or delete it. */
const KNOWN_MS = 4_000;
const MAX_KNOWN = 10_000;

/** A capture with its age at a time of this process's monotonic clock, which no change of the date moves. */
interface KnownCapture {
  readonly capture: Job;
  readonly ageMs: number;
  readonly at: number;
}

/** A capture of the cache, and how it answers. */
export interface KnownAnswer {
  readonly job: Job;
  readonly use: CacheUse;
}

/** The captures of the cache that this process has read in the last seconds. They answer without a query. */
@Injectable()
export class KnownCapturesService implements OnModuleInit {
  private readonly known = new LRUCache<string, KnownCapture>({ max: MAX_KNOWN, ttl: KNOWN_MS });
  /** Captures that were deleted while they may have been known here, or were just being read. */
  private readonly deleted = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: 2 * KNOWN_MS });
  private readonly reading = new Map<string, Promise<KnownCapture | null>>();

  constructor(
    private readonly demands: CacheDemandService,
    private readonly entries: CacheEntryRepository,
    private readonly signals: JobSignalsService,
  ) {}

  onModuleInit(): void {
    this.signals.on('forgotten', (captureId) => this.deleted.set(captureId, true));
  }

  /** What the options ask of the cache; null if they do not ask for it. */
  async demandOf(accountId: string, options: CaptureOptions): Promise<CacheDemand | null> {
    if (options.cache_ttl_s === 0) return null;
    await this.demands.refresh();
    return this.demands.of(accountId, options);
  }

  /** The capture that answers, fresh or stale; null if a new one must be made. Equal lookups at a time are one query. */
  async find(accountId: string, demand: CacheDemand): Promise<KnownAnswer | null> {
    if (demand.force) return null;
    const found = await this.lookUp(accountId, demand);
    const status = found && freshnessOf(demand, found.ageS);
    return found && status ? { job: found.capture, use: { status, ageS: found.ageS } } : null;
  }

  /** The latest capture however old it is, for callers who prefer it to an error. */
  async findAny(accountId: string, demand: CacheDemand): Promise<KnownAnswer | null> {
    const found = await this.lookUp(accountId, demand);
    if (!found) return null;
    const status = freshnessOf(demand, found.ageS) ?? 'stale';
    return { job: found.capture, use: { status, ageS: found.ageS } };
  }

  /** Answers with a capture that has just succeeded, instead of an older one. */
  remember(capture: Job): void {
    const { accountId, cacheKey } = capture;
    if (cacheKey) this.known.set(nameOf(accountId, cacheKey), knownFrom({ capture, ageS: 0 }));
  }

  /** Forgets what is known here for a key. Whatever found the files gone made the cache itself forget the capture. */
  forget(accountId: string, { key }: CacheDemand): void {
    this.known.delete(nameOf(accountId, key));
  }

  private async lookUp(accountId: string, { key }: CacheDemand): Promise<CachedCapture | null> {
    const name = nameOf(accountId, key);
    const known = this.known.get(name);
    const found = known && this.answers(known) ? known : await this.read(name, { accountId, key });
    if (!found || !this.answers(found)) return null;
    const ageMs = found.ageMs + performance.now() - found.at;
    return { capture: found.capture, ageS: Math.floor(ageMs / 1_000) };
  }

  private answers({ capture }: KnownCapture): boolean {
    return !this.deleted.has(capture.id);
  }

  private read(name: string, lookup: Lookup): Promise<KnownCapture | null> {
    const reading =
      this.reading.get(name) ?? this.query(name, lookup).finally(() => this.reading.delete(name));
    this.reading.set(name, reading);
    return reading;
  }

  /** A key without a capture is not kept: the next request would not see the capture that answers it. */
  private async query(name: string, lookup: Lookup): Promise<KnownCapture | null> {
    const { cached } = await this.entries.find(lookup);
    if (!cached) return null;
    const found = knownFrom(cached);
    this.known.set(name, found);
    return found;
  }
}

interface Lookup {
  readonly accountId: string;
  readonly key: Buffer;
}

function knownFrom({ capture, ageS }: CachedCapture): KnownCapture {
  return { capture, ageMs: ageS * 1_000, at: performance.now() };
}

function nameOf(accountId: string, key: Buffer): string {
  return `${accountId} ${key.toString('base64')}`;
}
