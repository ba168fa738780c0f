import { describe, expect, it } from '@jest/globals';
import type { AccountRecord } from '@capture-service/client';
import { changesOf, draftOf, EMPTY_SETTINGS, faultOf, isValid, newAccountOf } from './account-draft.js';

const ACCOUNT = {
  allowance: 1_000,
  allowance_period: 'month',
  concurrency: 10,
  rate: 600,
  burst: 100,
  webhook_url: 'https://example.com/hook',
  max_captures: 5,
  max_bytes: null,
  max_batches: null,
  max_webhooks: null,
  max_sessions: null,
  max_monitors: null,
} as AccountRecord;

describe('the form with the settings of an account', () => {
  it('requests a new account with what is filled in, and nothing else', () => {
    expect(newAccountOf(' acme ', EMPTY_SETTINGS)).toEqual({ name: 'acme' });
    const draft = { ...EMPTY_SETTINGS, allowance: '50', max_bytes: ' 7 ', allowance_period: 'ever' as const };
    expect(newAccountOf('acme', draft)).toEqual({
      name: 'acme',
      allowance: 50,
      allowance_period: 'ever',
      max_bytes: 7,
    });
  });

  it('changes what differs; null stands for a limit and an address that were removed', () => {
    const before = draftOf(ACCOUNT);
    expect(changesOf(before, before)).toEqual({});
    const draft = { ...before, concurrency: '3', max_captures: '', max_monitors: '0', webhook_url: ' ' };
    expect(changesOf(before, draft)).toEqual({
      concurrency: 3,
      max_captures: null,
      max_monitors: 0,
      webhook_url: null,
    });
  });

  it('refuses what is no whole number, and an empty field where there must be a number', () => {
    expect(faultOf('rate', '60')).toBeUndefined();
    expect(faultOf('max_bytes', '')).toBeUndefined();
    for (const text of ['', '-1', '1.5', 'ten']) expect(faultOf('rate', text)).toMatch(/whole number/);
    expect(isValid(EMPTY_SETTINGS, { ...EMPTY_SETTINGS, rate: '5' })).toBe(true);
    expect(isValid(EMPTY_SETTINGS, { ...EMPTY_SETTINGS, rate: 'ten' })).toBe(false);
    expect(isValid(draftOf(ACCOUNT), { ...draftOf(ACCOUNT), rate: '' })).toBe(false);
  });
});
