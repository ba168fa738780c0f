import { describe, expect, it } from '@jest/globals';
import { instantiate } from '@app/kernel';
import { CaptureOptions } from '../request/capture-options.js';
import { planVisit } from './visit-plan.js';

const planOf = (outputs: readonly object[]): object =>
  planVisit(instantiate(CaptureOptions, { url: 'https://example.com/', outputs })).options;

describe('the plan of a visit', () => {
  it('says at its start that a picture goes beyond the window, whichever output that is', () => {
    const phone = { name: 'phone', viewport_width: 390 };
    expect(planOf([{ name: 'window' }, phone])).toMatchObject({ isBeyondWindow: false });
    for (const beyond of [{ full_page: true }, { selector: 'h1' }, { clip_x: 0 }]) {
      expect(planOf([{ name: 'window' }, { ...phone, ...beyond }])).toMatchObject({ isBeyondWindow: true });
    }
  });
});
