import { describe, expect, it } from '@jest/globals';
import { resultOf } from './test-results.mjs';
import { tally } from './test-tally.mjs';

describe('the results of a run', () => {
  it('are counted by the tally as Jest counts them', () => {
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
