import { describe, expect, it } from '@jest/globals';
import { faultsByOption, faultsOf, faultsThatHold, firstOf } from './faults.js';

const error = (pointer: string, detail = 'is wrong') => ({ pointer, detail, code: 'invalid_value' });

describe('the faults of a form', () => {
  it.each([
    [{ viewport_width: 3 }, 'must be between 16 and 7680'],
    [{ viewport_width: 1.5 }, 'must be a whole number'],
    [{ viewport_width: '390' }, 'must be a whole number'],
    [{ full_page: null }, 'must be true or false'],
    [{ format: 'gif' }, /^must be one of png, jpeg/],
    [{ url: '' }, 'must not be empty'],
    [{ timezone: 'x'.repeat(101) }, 'must be at most 100 characters long'],
    [{ headers: [] }, 'must be an object'],
    [{ headers: { 'x-a': 1 } }, 'x-a must be a text'],
    [{ block_urls: ['a', ''] }, 'entry 2 must not be empty'],
    [{ cookies: [{ name: '', value: '' }] }, 'entry 1 name must not be empty'],
    [{ cookies: [{ nmae: 'a' }] }, 'entry 1 nmae is not a field'],
    [{ outputs: [{ name: 'a', quality: 101 }] }, 'entry 1 quality must be between 1 and 100'],
    [{ actions: [{ type: 'clik', selector: 'a' }] }, /^entry 1 type must be one of click, hover, /],
    [{ actions: [{ type: 'back' }, { type: 'click' }] }, 'entry 2 selector is required'],
    [{ actions: [{ type: 'press', key: 'a', times: 2 }] }, 'entry 1 times is not a field'],
  ])('of %j come from the API document', (values, fault) => {
    const [found] = [...faultsOf(values).values()];
    expect(found).toEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault));
  });

  it('are none where the document allows the value', () => {
    // Each sign of the first is two units of UTF-16.
    const values = {
      timezone: '😀'.repeat(100),
      html: '',
      unknown: 1,
      device_scale_factor: 1.5,
      cookies: [],
    };
    expect([...faultsOf(values).keys()]).toEqual(['html']);
  });

  it('of a problem document belong to the option of their pointer', () => {
    const faults = faultsByOption([
      error('/outputs/0/name'),
      error('/outputs/1/format', 'is odd'),
      error('/headers/x~1y~0z'),
      error(''),
      error('/nothing'),
      error('Idempotency-Key'),
    ]);
    expect([...faults]).toEqual([
      ['outputs', 'entry 1, name is wrong; entry 2, format is odd'],
      ['headers', 'x/y~z is wrong'],
    ]);
    expect(firstOf(faults)).toBe('headers');
  });

  it('end when the option changes', () => {
    const faults = faultsByOption([error('/latitude'), error('/url')]);
    const refused = { latitude: 3, url: 'x' };
    expect([...faultsThatHold(faults, refused, { latitude: 3, url: 'y' }).keys()]).toEqual(['latitude']);
    expect(faultsThatHold(faults, refused, {}).size).toBe(0);
  });
});
