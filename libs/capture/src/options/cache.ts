import { fieldsOf, type AnyClass, type Fault } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';
import { Flag, Text, Whole } from '../pipeline/option-fields.js';

const MAX_TTL_S = 2_592_000;

export class CacheOptions {
  @Whole(
    'Seconds: a capture of the same account with the same target and options that is younger answers at once, without a visit and without a charge. Identical captures that are requested meanwhile share one visit. 0 turns the cache off.',
    { exposure: 'public', min: 0, max: MAX_TTL_S, example: 3_600 },
  )
  cache_ttl_s = 0;

  @Whole(
    'Seconds after `cache_ttl_s` in which an older capture still answers at once, while a new one is made in the background.',
    { exposure: 'public', min: 0, max: MAX_TTL_S, example: 600 },
  )
  stale_ttl_s = 0;

  @Text('Captures with different keys do not answer for each other: the version of your page, for example.', {
    exposure: 'public',
    max: 200,
    example: 'release-42',
  })
  cache_key?: string;

  @Flag('Makes a new capture whatever the cache holds, and keeps it there.', { exposure: 'own' })
  force = false;
}

function check(options: CacheOptions): Fault[] {
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
  return secretsIn(options).map((name) =>
    conflict(
      'cache_ttl_s',
      `must not be combined with ${name}: what a page shows to one visitor is not kept for others`,
    ),
  );
}

/** The secrets among the options of all families. A cached file may be shown again, so that no secret may decide what it shows. */
function secretsIn(options: CacheOptions): string[] {
  const values = options as unknown as Readonly<Record<string, unknown>>;
  return fieldsOf(options.constructor as AnyClass)
    .filter(({ secret, name }) => secret && isSet(values[name]))
    .map(({ name }) => name);
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

export const cache = defineFamily(
  { name: 'cache', doc: 'Answers without a visit. docs/cache.md describes what counts as the same capture.' },
  CacheOptions,
  { check },
);
