import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** The variable that names the file for the results of a run. */
export const RESULTS_FILE = 'CAPTURE_TEST_RESULTS';

/** A reporter of Jest that writes what `tally` counts. Jest's own `--json` prints the name of a file that is gone by then. */
export default class TestResults {
  onRunComplete(_, { testResults }) {
    writeFileSync(process.env[RESULTS_FILE], JSON.stringify(testResults.map(resultOf)));
  }
}

export function resultOf({ testFilePath, testExecError, numFailingTests, testResults }) {
  const hasFailed = Boolean(testExecError) || numFailingTests > 0;
  return {
    name: testFilePath,
    status: hasFailed ? 'failed' : 'passed',
    assertionResults: testResults.map(({ status }) => ({ status })),
  };
}

/** Paths of the specs that failed, or did not load. */
export function failedSpecs(results) {
  return results.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/**
 * Counts the tests of a run and of the one that repeated its failed specs. A repeated spec counts as it ended the second
 * time; when it passed then, it is flaky and named.
 */
export function tally(first, second = []) {
  const repeated = new Set(second.map(({ name }) => name));
  const counting = [...first.filter(({ name }) => !repeated.has(name)), ...second];
  const failed = new Set(failedSpecs(second));
  return {
    passed: countOf(counting, 'passed'),
    // A spec that does not load has no tests.
    failed: countOf(counting, 'failed') + counting.filter(isUnloaded).length,
    skipped: countOf(counting, 'pending') + countOf(counting, 'todo'),
    flaky: [...repeated].filter((name) => !failed.has(name)),
  };
}

/** The lines at the end of a run: the flaky specs, then all counts. */
export function summaryOf(tallies) {
  const sum = (key) => tallies.reduce((total, each) => total + each[key], 0);
  const flaky = tallies.flatMap((each) => each.flaky).map((name) => path.relative('.', name));
  const skipped = sum('skipped');
  return [
    ...flaky.map((name) => `flaky: ${name} failed at first, and passed by itself`),
    `tests: ${sum('passed')} passed, ${sum('failed')} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`,
  ].join('\n');
}

function countOf(results, status) {
  return results
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((assertion) => assertion.status === status).length;
}

function isUnloaded({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed');
}
