import { describe, expect, it } from '@jest/globals';
import { failedSpecs, summaryOf, tally } from './test-tally.mjs';

const spec = (name, ...statuses) => ({
  name,
  status: statuses.length === 0 || statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status) => ({ status })),
});

const FIRST = [spec('a', 'passed', 'passed'), spec('b', 'passed', 'failed'), spec('c', 'pending'), spec('d')];

describe('the tally of tests', () => {
  it('counts tests, and specs that do not load', () => {
    expect(failedSpecs(FIRST)).toEqual(['b', 'd']);
    expect(summaryOf([tally(FIRST)])).toBe('tests: 3 passed, 2 failed, 1 skipped');
  });

  it('counts a spec as it was when it was run again, and names it', () => {
    const second = [spec('b', 'passed', 'passed'), spec('d', 'failed')];
    expect(summaryOf([tally(FIRST, second)])).toBe(
      'shaky: b failed at first, and passed by itself\ntests: 4 passed, 1 failed, 1 skipped',
    );
  });

  it('adds up runs', () => {
    const runs = [tally([spec('a', 'passed')]), tally([spec('b', 'passed')])];
    expect(summaryOf(runs)).toBe('tests: 2 passed, 0 failed');
  });
});
