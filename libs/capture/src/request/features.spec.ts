import { describe, expect, it } from '@jest/globals';
import { KNOWN_FEATURES, neededFeatures } from './features.js';

describe(neededFeatures, () => {
  const url = 'https://example.com/';

  it.each([
    [{ url }],
    [{ url, format: 'pdf', full_page: true, wait_until: 'networkidle', headers: { a: 'b' } }],
    [{ url, clean: false, stable: false, cache_ttl_s: 60, filename: 'a.png', response: 'zip' }],
  ])('is nothing for %j', (options) => {
    expect(neededFeatures(options)).toBeNull();
  });

  it.each([
    [{ url, clean: true }, ['clean']],
    [{ url, stable: true, image_width: 200 }, ['image_width', 'stable']],
    [{ url, format: 'avif' }, ['format=avif']],
    [{ url, fail_on_verdict: ['blank'] }, ['fail_on_verdict', 'fail_on_verdict=blank']],
    [{ url, outputs: [{ name: 'a', format: 'avif' }] }, ['format=avif', 'outputs']],
  ])('of %j is %j', (options, needed) => {
    expect(neededFeatures(options)).toEqual(needed);
    expect(KNOWN_FEATURES).toEqual(expect.arrayContaining(needed));
  });
});
