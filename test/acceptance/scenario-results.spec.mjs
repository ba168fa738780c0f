import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ScenarioResults } from './scenario-results.mjs';

const URI = 'test/acceptance/features/any.feature';

/** The messages of one scenario, whose steps ended like this; an interrupted one has not ended. */
const messagesOf = (id, statuses, { isInterrupted = false } = {}) => [
  { pickle: { id, uri: URI } },
  { testCase: { id: `case ${id}`, pickleId: id } },
  { testCaseStarted: { id: `start ${id}`, testCaseId: `case ${id}` } },
  ...statuses.map((status) => ({
    testStepFinished: { testCaseStartedId: `start ${id}`, testStepResult: { status } },
  })),
  ...(isInterrupted ? [] : [{ testCaseFinished: { testCaseStartedId: `start ${id}` } }]),
];

const resultsOf = (...messages) => {
  const results = new ScenarioResults();
  for (const message of [{ source: { uri: URI } }, ...messages.flat()]) results.add(message);
  return results.list();
};

describe('the results of the scenarios', () => {
  it('count a scenario whose steps all pass', () => {
    expect(resultsOf(messagesOf('a', ['PASSED', 'PASSED']))).toEqual([
      { name: path.resolve(URI), status: 'passed', assertionResults: [{ status: 'passed' }] },
    ]);
  });

  it.each([
    ['a step that fails', ['PASSED', 'FAILED', 'SKIPPED'], {}],
    ['a step that nobody has written', ['PASSED', 'UNDEFINED'], {}],
    ['a step that is skipped', ['SKIPPED'], {}],
    ['no step', [], {}],
    ['no end', ['PASSED'], { isInterrupted: true }],
  ])('count a scenario with %s as failed', (_, statuses, how) => {
    const results = resultsOf(messagesOf('a', ['PASSED']), messagesOf('b', statuses, how));
    expect(results).toMatchObject([
      { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] },
    ]);
  });

  it('count a feature file that cannot be read as failed, without scenarios', () => {
    expect(resultsOf({ parseError: { source: { uri: URI } } })).toEqual([
      { name: path.resolve(URI), status: 'failed', assertionResults: [] },
    ]);
  });
});
