import { describe, expect, it } from '@jest/globals';
import { nightlySpecs, nightlySummary, remembered, statusOf } from './nightly.mjs';

describe('the nightly run', () => {
  it('runs slow specs, then quick faults, then slow ones', () => {
    const files = [
      'test/faults/slow/b.fault-spec.ts',
      'test/faults/quick/a.fault-spec.ts',
      'test/e2e/cli.slow.e2e-spec.ts',
      'libs/capture/src/a.slow.int-spec.ts',
      'libs/capture/src/a.int-spec.ts',
    ];
    expect(nightlySpecs(files)).toEqual([
      { project: 'slow', file: 'libs/capture/src/a.slow.int-spec.ts' },
      { project: 'slow', file: 'test/e2e/cli.slow.e2e-spec.ts' },
      { project: 'faults-quick', file: 'test/faults/quick/a.fault-spec.ts' },
      { project: 'faults-slow', file: 'test/faults/slow/b.fault-spec.ts' },
    ]);
  });

  it('remembers what passed at the same commit alone', () => {
    const state = { version: 'one', passed: { a: { status: 'passed', seconds: 3 } } };
    expect(remembered('one', state)).toEqual(state.passed);
    expect(remembered('other', state)).toEqual({});
    expect(remembered('one', undefined)).toEqual({});
  });

  it('takes a spec without a summary for failed, as it was interrupted', () => {
    expect(statusOf(0, 'PASS a\ntests: 1 passed, 0 failed\n')).toBe('passed');
    expect(statusOf(0, 'flaky: a failed at first\ntests: 1 passed, 0 failed\n')).toBe('flaky');
    expect(statusOf(1, 'tests: 0 passed, 1 failed\n')).toBe('failed');
    expect(statusOf(0, '')).toBe('failed');
  });

  it('ends with the specs that failed or were flaky, and the counts', () => {
    const runs = [
      { file: 'a', status: 'passed', seconds: 60 },
      { file: 'b', status: 'flaky', seconds: 60 },
      { file: 'c', status: 'failed', seconds: 60 },
    ];
    expect(nightlySummary(runs).split('\n')).toEqual([
      expect.stringMatching(/^failed: c, see .*c\.log$/),
      'flaky: b failed at first, and passed when it was repeated',
      'nightly: 2 passed, 1 failed, 3 minutes',
    ]);
  });
});
