import { Injectable } from '@nestjs/common';
import { cacheKeyOf, type CaptureOptions } from '@app/capture';
import { SecretBox } from '@app/kernel';
import { EngineVersionsService } from '../workers/engine-versions.service.js';

/** How a capture wants the cache to answer. Ages are in seconds. */
export interface CacheDemand {
  readonly key: Buffer;
  readonly ttlS: number;
  readonly staleTtlS: number;
  /** Whether a new visit is made whatever the cache holds. */
  readonly force: boolean;
}

/** Reads from options what they ask of the cache. */
@Injectable()
export class CacheDemandService {
  constructor(
    private readonly secretBox: SecretBox,
    private readonly versions: EngineVersionsService,
  ) {}

  /** Prepares `read`: the versions that a key depends on are read again if that was some seconds ago. Never rejects. */
  refresh(): Promise<void> {
    return this.versions.refresh();
  }

  /** Returns null for options that do not ask for the cache. */
  read(accountId: string, options: CaptureOptions): CacheDemand | null {
    const { cache_ttl_s: ttlS, stale_ttl_s: staleTtlS, force } = options;
    const key = cacheKeyOf(options, { accountId, versions: this.versions.latest }, (text) =>
      this.secretBox.digest(text),
    );
    return key && { key, ttlS, staleTtlS, force };
  }
}

/** Names a demand of an account. The cache decides the same about all with the same name. */
export function nameOfDemand(accountId: string, { key, ttlS, staleTtlS, force }: CacheDemand): string {
  return [accountId, key.toString('base64'), ttlS, staleTtlS, force].join(' ');
}

/** The seconds after the end of a capture in which the cache may answer with it. */
export function cacheLifeS({
  cache_ttl_s,
  stale_ttl_s,
}: Pick<CaptureOptions, 'cache_ttl_s' | 'stale_ttl_s'>): number {
  return cache_ttl_s + stale_ttl_s;
}

/** How a capture of this age may answer: fresh, stale, or not at all. */
export function freshnessOf({ ttlS, staleTtlS }: CacheDemand, ageS: number): 'hit' | 'stale' | null {
  if (ageS < ttlS) return 'hit';
  return ageS < ttlS + staleTtlS ? 'stale' : null;
}
