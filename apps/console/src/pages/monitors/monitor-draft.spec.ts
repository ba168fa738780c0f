import { describe, expect, it } from '@jest/globals';
import { draftOf, isComplete, readOptions, requestOf, watchPath } from './monitor-draft.js';

const ZONE = 'Europe/Paris';

describe('the form of a new monitor', () => {
  it('watches the whole page of an address every hour', () => {
    const draft = { ...draftOf(null, ZONE), url: 'example.com/pricing' };
    expect(isComplete(draft)).toBe(true);
    expect(requestOf(draft)).toEqual({
      capture: { url: 'https://example.com/pricing', full_page: true, stable: true },
      schedule: { every_s: 3_600 },
      alert: { min_ratio: 0, confirm: 2, ignore_selectors: [] },
    });
  });

  it('takes the options of a capture, but no secrets and none that a monitor sets itself', () => {
    const options = { url: 'https://a.example/', format: 'webp', headers: '[redacted]', cache_ttl_s: 60 };
    const text = new URL(watchPath(options), 'https://console.example').searchParams.get('options');
    expect(requestOf(draftOf(readOptions(text), ZONE)).capture).toEqual({
      url: 'https://a.example/',
      format: 'webp',
    });
    expect(readOptions('[1]')).toBeNull();
    expect(readOptions('{')).toBeNull();
  });

  it('has a schedule, receivers and elements that do not count', () => {
    const draft = {
      ...draftOf(null, ZONE),
      ...{ url: 'https://a.example/', kind: 'cron' as const, ignored: ' .clock \n\n#ad', leastPercent: 0.5 },
      receivers: [
        { type: 'slack' as const, address: ' https://hooks.example/a ' },
        { type: 'email' as const, address: 'ada@example.com' },
      ],
    };
    expect(requestOf(draft)).toMatchObject({
      schedule: { cron: '0 9 * * 1-5', timezone: ZONE },
      alert: { min_ratio: 0.005, ignore_selectors: ['.clock', '#ad'] },
      notify: [
        { type: 'slack', url: 'https://hooks.example/a' },
        { type: 'email', to: 'ada@example.com' },
      ],
    });
    expect(isComplete({ ...draft, receivers: [{ type: 'teams', address: ' ' }] })).toBe(false);
  });
});
