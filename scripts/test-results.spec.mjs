import { describe, expect, it } from '@jest/globals';
import { failedSpecs, resultOf, summaryOf, tally } from './test-results.mjs';

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

  it('counts a repeated spec as it ended the second time, and names one that passed then', () => {
    const second = [spec('b', 'passed', 'passed'), spec('d', 'failed')];
    expect(summaryOf([tally(FIRST, second)])).toBe(
      'flaky: b failed at first, and passed by itself\ntests: 4 passed, 1 failed, 1 skipped',
    );
  });

  it('adds up runs', () => {
    const runs = [tally([spec('a', 'passed')]), tally([spec('b', 'passed')])];
    expect(summaryOf(runs)).toBe('tests: 2 passed, 0 failed');
  });

  it('counts the results of Jest as Jest counts them', () => {
    const tests = (...statuses) => statuses.map((status) => ({ status, title: 'a title' }));
    const results = [
      { testFilePath: '/a', numFailingTests: 0, testResults: tests('passed', 'pending') },
      { testFilePath: '/b', numFailingTests: 1, testResults: tests('passed', 'failed') },
      {
        testFilePath: '/c',
        numFailingTests: 0,
        testResults: [],
        testExecError: { message: 'does not load' },
      },
    ].map(resultOf);
    expect(results.map(({ name, status }) => [name, status])).toEqual([
      ['/a', 'passed'],
      ['/b', 'failed'],
      ['/c', 'failed'],
    ]);
    expect(tally(results)).toMatchObject({ passed: 2, failed: 2, skipped: 1 });
  });
});
