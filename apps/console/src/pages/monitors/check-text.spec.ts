import { describe, expect, it } from '@jest/globals';
import type { MonitorCheck, MonitorRecord } from '@capture-service/client';
import { checkText, outcomeText, pictureOf, scheduleText } from './check-text.js';

const CHECK = {
  page: 1,
  outcome: 'same',
  reason: null,
  change: null,
  error: null,
  files_kept: true,
  capture_ids: ['first', 'last'],
} as unknown as MonitorCheck;
const MONITOR = { capture: { url: 'https://example.com/' }, batch: null } as unknown as MonitorRecord;
const change = { summary: null, ratio: 0.0042 } as MonitorCheck['change'];

describe('a check in words', () => {
  it('says what changed, or by how much', () => {
    expect(checkText({ ...CHECK, outcome: 'changed', change })).toBe('0.42 % changed');
    const words = { ...change, summary: 'Price: 1 → 2' } as MonitorCheck['change'];
    expect(checkText({ ...CHECK, outcome: 'changed', change: words })).toBe('Price: 1 → 2');
  });

  it('says why it has its outcome', () => {
    expect(checkText({ ...CHECK, reason: 'first' })).toBe('the first capture');
    expect(checkText(CHECK)).toBe('');
    expect(outcomeText({ ...CHECK, outcome: null })).toBe('In progress');
  });

  it('has the picture of its last capture while that is kept', () => {
    expect(pictureOf(CHECK, MONITOR)).toBe('last');
    expect(pictureOf({ ...CHECK, files_kept: false }, MONITOR)).toBeUndefined();
    expect(pictureOf({ ...CHECK, outcome: 'failed' }, MONITOR)).toBeUndefined();
    const text = { ...MONITOR, capture: { ...MONITOR.capture, format: 'markdown' } };
    expect(pictureOf(CHECK, text)).toBeUndefined();
  });
});

describe('a schedule in words', () => {
  it.each([
    [3_600, 'every hour'],
    [7_200, 'every 2 hours'],
    [90, 'every 90 seconds'],
    [86_400, 'every day'],
  ])('of %d seconds is %s', (every_s, text) => {
    expect(scheduleText({ schedule: { every_s } })).toBe(text);
  });
});
