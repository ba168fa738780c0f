import { describe, expect, it } from '@jest/globals';
import type { MonitorRecord } from '@capture-service/client';
import {
  changesOf,
  draftOf,
  draftOfMonitor,
  isChangeComplete,
  isComplete,
  readOptions,
  requestOf,
  watchPath,
} from './monitor-draft.js';

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
      url: 'https://a.example/',
      kind: 'cron' as const,
      ignored: ' .clock \n\n#ad',
      leastPercent: 0.5,
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

describe('the form of a monitor that is there', () => {
  const MONITOR = {
    name: 'prices',
    webhook_url: 'https://a.example/hook',
    batch: null,
    capture: { url: 'https://a.example/', full_page: true, headers: '[redacted]' },
    schedule: { every_s: 5_400 },
    alert: { on: ['changed'], min_ratio: 0.07, confirm: 3, ignore_selectors: ['.clock', '#ad'] },
    notify: [{ type: 'email', to: 'a…@example.com' }],
  } as unknown as MonitorRecord;
  const before = draftOfMonitor(MONITOR, ZONE);

  it('is filled in, and changes nothing by itself', () => {
    expect(before).toMatchObject({
      url: 'https://a.example/',
      kind: 'period',
      count: 90,
      unit: 'minutes',
      leastPercent: 7,
      ignored: '.clock\n#ad',
      confirm: 3,
      webhookUrl: 'https://a.example/hook',
      receivers: [],
    });
    expect(changesOf(before, before)).toEqual({});
    expect(isChangeComplete(before, before)).toBe(false);
    const schedule = { cron: '0 9 * * *', timezone: 'Europe/Berlin' };
    expect(draftOfMonitor({ ...MONITOR, schedule }, ZONE)).toMatchObject({ kind: 'cron', ...schedule });
    expect(draftOfMonitor({ ...MONITOR, schedule: { every_s: 61 } }, ZONE)).toMatchObject({ count: 61 });
  });

  it('states what was changed', () => {
    const change = (typed: object) => changesOf(before, { ...before, ...typed });
    expect(change({ name: 'price' })).toEqual({ name: 'price' });
    expect(change({ unit: 'hours' })).toEqual({ schedule: { every_s: 324_000 } });
    expect(change({ webhookUrl: '' })).toEqual({ webhook_url: null });
    expect(change({ confirm: 1 })).toEqual({ alert: { confirm: 1 } });
    expect(change({ replacesReceivers: true })).toEqual({ notify: [] });
    expect(change({ url: 'b.example' })).toEqual({ capture: { url: 'https://b.example', full_page: true } });
  });

  it('is not sent without a page that it has', () => {
    expect(isChangeComplete(before, { ...before, url: ' ', name: 'x' })).toBe(false);
    const several = draftOfMonitor({ ...MONITOR, capture: null }, ZONE);
    expect(isChangeComplete(several, { ...several, name: 'x' })).toBe(true);
  });
});
