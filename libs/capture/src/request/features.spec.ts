import { describe, expect, it } from '@jest/globals';
import { KNOWN_FEATURES, neededFeatures } from './features.js';

describe(neededFeatures, () => {
  const url = 'https://example.com/';

  it.each([
    [{ url }],
    [{ url, format: 'png', full_page: false, wait_until: 'auto', headers: {}, block_urls: [], outputs: [] }],
    [{ url, javascript: true, timezone: null, cache_ttl_s: 60, filename: 'a.png', response: 'zip' }],
  ])('is nothing for %j', (options) => {
    expect(neededFeatures(options)).toBeNull();
  });

  it.each([
    [{ html: '<p>', clean: true }, ['clean', 'html']],
    [{ url, stable: true, image_width: 200 }, ['image_width', 'stable']],
    [{ url, javascript: false }, ['javascript']],
    [{ url, format: 'avif' }, ['format=avif']],
    [{ url, fail_on_verdict: ['blank', 'bot_wall'] }, ['fail_on_verdict=blank', 'fail_on_verdict=bot_wall']],
    [{ url, outputs: [{ name: 'a', format: 'avif' }, { name: 'b' }] }, ['format=avif', 'outputs']],
  ])('of %j is %j', (options, needed) => {
    expect(neededFeatures(options)).toEqual(needed);
    expect(KNOWN_FEATURES).toEqual(expect.arrayContaining(needed));
  });
});
