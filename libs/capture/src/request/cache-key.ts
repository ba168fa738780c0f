import { canonicalJson, fieldsOf } from '@app/kernel';
import { sameCapture } from './capture-key.js';
import { kindsOf } from '../options/blocking.js';
import { ComparisonOptions } from '../options/comparison.js';
import { removesBanners } from '../options/consent.js';
import type { CaptureOptions } from './capture-options.js';
import { generationOf } from './parse-options.js';

/** Changes when the same text would mean another file, so that nothing of an earlier version answers. */
const VERSION = 'cache-key/2';

const COMPARISON = fieldsOf(ComparisonOptions).map(({ name }) => name);

/** What makes the files, besides the options. */
export interface EngineVersions {
  /** The version of the browser. */
  readonly browser: string;
  /** The versions of the filter lists. */
  readonly filterLists: string;
}

/** Among which captures one may answer for another. */
export interface CacheScope {
  readonly accountId: string;
  readonly versions: EngineVersions;
}

/**
 * A key of 32 bytes that captures share when one may answer for the other; null when the options do not ask for the cache.
 * Besides what `captureKeyOf` counts it depends on `cache_key`, on the comparison, on the account, on the version of the
 * browser, on those of the filter lists if the capture uses them, and on the generation of its session. The other options of cache and delivery make no
 * difference. Two accounts that compare the keys in their records do not learn that they captured the same page.
 *
 * @param digest a hash with a secret key, because records show the key
 */
export function cacheKeyOf(
  options: CaptureOptions,
  { accountId, versions }: CacheScope,
  digest: (text: string) => Buffer,
): Buffer | null {
  if (options.cache_ttl_s === 0) return null;
  const usesLists = kindsOf(options).length > 0 || removesBanners(options);
  const text = canonicalJson([
    accountId,
    sameCapture(options),
    options.compare_with === undefined ? null : COMPARISON.map((name) => valueOf(options, name)),
    options.cache_key ?? null,
    versions.browser,
    usesLists ? versions.filterLists : null,
    ...(options.session === undefined ? [] : [generationOf(options)]),
  ]);
  return digest(`${VERSION}\n${text}`);
}

function valueOf(options: CaptureOptions, name: string): unknown {
  return (options as unknown as Readonly<Record<string, unknown>>)[name];
}
