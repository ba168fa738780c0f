import { describe, expect, it } from '@jest/globals';
import { dayOf, fullDay, queryOf, rangeOf, shortDay } from './range.js';

const TODAY = '2026-11-22';
const read = (search: string) => rangeOf(new URLSearchParams(search), TODAY);

describe('the range of the usage', () => {
  it('is the last 30 days with today, or a preset', () => {
    expect(read('')).toEqual({ first: '2026-10-24', last: TODAY, preset: 30 });
    expect(read('days=7')).toEqual({ first: '2026-11-16', last: TODAY, preset: 7 });
  });

  it('is two days that were chosen', () => {
    expect(read('from=2026-02-27&to=2026-03-01')).toEqual({ first: '2026-02-27', last: '2026-03-01' });
  });

  it.each(['days=8', 'from=2026-02-01', 'from=x&to=2026-03-01', 'from=2026-13-01&to=2026-13-02'])(
    'is the default for %s, which it does not understand',
    (search) => {
      expect(read(search).preset).toBe(30);
    },
  );

  it('asks the API for the day after the last one', () => {
    expect(queryOf({ first: '2028-02-01', last: '2028-02-29' })).toEqual({
      from: '2028-02-01',
      to: '2028-03-01',
    });
  });

  it('has days in UTC, whatever the zone of the browser', () => {
    expect(dayOf(Date.parse('2026-11-22T23:30:00-05:00'))).toBe('2026-11-23');
    expect([shortDay(TODAY), fullDay(TODAY)]).toEqual(['22 Nov', 'Sun, 22 Nov 2026']);
  });
});
