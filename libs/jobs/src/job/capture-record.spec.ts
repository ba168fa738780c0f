import { describe, expect, it } from '@jest/globals';
import { toCaptureRecord } from './capture-record.js';
import { Job } from './job.entity.js';

const optionsOf = (options: Record<string, unknown>) =>
  toCaptureRecord(
    Object.assign(new Job(), { options, createdAt: new Date(0), timings: null, cacheKey: null }),
  ).options;

describe(toCaptureRecord, () => {
  it('contains html of up to 1,000 characters unchanged', () => {
    const options = { html: 'x'.repeat(1_000), format: 'png' };
    expect(optionsOf(options)).toEqual(options);
  });

  it('cuts longer html and no other option', () => {
    const { html, css } = optionsOf({ html: 'x'.repeat(1_001), css: 'y'.repeat(2_000) });
    expect(html).toBe(`${'x'.repeat(1_000)}…`);
    expect(css).toHaveLength(2_000);
  });
});
