import { describe, expect, it } from '@jest/globals';
import { nightlySpecs, nightlySummary, remembered, statusOf } from './nightly.mjs';

describe('the nightly run', () => {
  it('runs slow specs, quick faults and slow ones, and then on the oldest PostgreSQL the whole service and what jobs send', () => {
    const files = [
      'test/faults/slow/b.fault-spec.ts',
      'test/faults/quick/a.fault-spec.ts',
      'test/e2e/cli.slow.e2e-spec.ts',
      'test/e2e/jobs.e2e-spec.ts',
      'libs/capture/src/a.slow.int-spec.ts',
      'libs/capture/src/a.int-spec.ts',
      'libs/jobs/src/a.int-spec.ts',
    ];
    const specs = nightlySpecs(files);
    expect(specs.map(({ project, name }) => [project, name])).toEqual([
      ['slow', 'libs/capture/src/a.slow.int-spec.ts'],
      ['slow', 'test/e2e/cli.slow.e2e-spec.ts'],
      ['faults-quick', 'test/faults/quick/a.fault-spec.ts'],
      ['faults-slow', 'test/faults/slow/b.fault-spec.ts'],
      ['e2e', 'test/e2e/jobs.e2e-spec.ts on PostgreSQL 15'],
      ['integration', 'libs/jobs/src/a.int-spec.ts on PostgreSQL 15'],
      ['faults-quick', 'test/faults/quick/a.fault-spec.ts on PostgreSQL 15'],
    ]);
    expect(specs.map(({ postgres }) => postgres)).toEqual([...Array(4).fill(undefined), '15', '15', '15']);
  });

  it('remembers what passed at the same commit alone', () => {
    const state = { version: 'one', passed: { a: { status: 'passed', seconds: 3 } } };
    expect(remembered('one', state)).toEqual(state.passed);
    expect(remembered('other', state)).toEqual({});
    expect(remembered('one', undefined)).toEqual({});
  });

  it('takes a spec without a summary for failed, as it was interrupted, and one that tested nothing for skipped', () => {
    expect(statusOf(0, 'PASS a\ntests: 1 passed, 0 failed\n')).toBe('passed');
    expect(statusOf(0, 'flaky: a failed at first\ntests: 1 passed, 0 failed\n')).toBe('flaky');
    expect(statusOf(1, 'tests: 0 passed, 1 failed\n')).toBe('failed');
    expect(statusOf(0, '')).toBe('failed');
    expect(statusOf(0, 'tests: 0 passed, 0 failed, 1 skipped\n')).toBe('skipped');
    expect(statusOf(0, 'tests: 3 passed, 0 failed, 1 skipped\n')).toBe('passed');
  });

  it('ends with the specs that failed, were flaky or were skipped, and the counts', () => {
    const runs = [
      { name: 'a', status: 'passed', seconds: 60 },
      { name: 'b', status: 'flaky', seconds: 60 },
      { name: 'c', status: 'failed', seconds: 60 },
      { name: 'd', status: 'skipped', seconds: 0 },
    ];
    expect(nightlySummary(runs).split('\n')).toEqual([
      expect.stringMatching(/^failed: c, see .*c\.log$/),
      'flaky: b failed at first, and passed when it was repeated',
      expect.stringMatching(/^skipped: d, see .*d\.log$/),
      'nightly: 2 passed, 1 failed, 1 skipped, 3 minutes',
    ]);
  });
});
