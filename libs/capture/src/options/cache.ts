import { Flag, Text, Whole, type Fault } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';
import type { SessionOptions } from './session.js';

const MAX_TTL_S = 2_592_000;

export class CacheOptions {
  @Whole(
    'Seconds: a capture of the same account with the same target and options that is younger answers at once, without a visit and without a charge. Identical captures that are requested meanwhile share one visit. 0 turns the cache off.',
    { min: 0, max: MAX_TTL_S, example: 3_600 },
  )
  cache_ttl_s = 0;

  @Whole(
    'Seconds after `cache_ttl_s` in which an older capture still answers at once, while a new one is made in the background.',
    { min: 0, max: MAX_TTL_S, example: 600 },
  )
  stale_ttl_s = 0;

  @Text('Captures with different keys do not answer for each other: the version of your page, for example.', {
    max: 200,
    example: 'release-42',
  })
  cache_key?: string;

  @Flag('Makes a new capture whatever the cache holds, and keeps it there.')
  force = false;
}

/** A cached file may be shown again, so that nothing secret may have decided what it shows. */
type CacheAndSession = CacheOptions & Partial<Pick<SessionOptions, (typeof SECRETS)[number]>>;

const SECRETS = ['headers', 'cookies', 'basic_auth_username', 'basic_auth_password'] as const;

function check(options: CacheAndSession): Fault[] {
  const conflict = (name: string, detail: string): Fault => ({
    pointer: `/${name}`,
    code: 'conflict',
    detail,
  });
  if (options.cache_ttl_s === 0) {
    return (['stale_ttl_s', 'cache_key', 'force'] as const)
      .filter((name) => options[name])
      .map((name) => conflict(name, 'needs cache_ttl_s'));
  }
  return SECRETS.filter((name) => isSet(options[name])).map((name) =>
    conflict(
      'cache_ttl_s',
      `must not be combined with ${name}: what a page shows to one visitor is not kept for others`,
    ),
  );
}

function isSet(value: string | object | undefined): boolean {
  return typeof value === 'object' ? Object.keys(value).length > 0 : value !== undefined;
}

export const cache = defineFamily<CacheAndSession>(
  { name: 'cache', doc: 'Answers without a visit. docs/cache.md describes what counts as the same capture.' },
  CacheOptions,
  { check },
);
