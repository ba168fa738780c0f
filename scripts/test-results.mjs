import { writeFileSync } from 'node:fs';

/** The variable that names the file for the results of a run. */
export const RESULTS_FILE = 'CAPTURE_TEST_RESULTS';

/** Reporter of Jest: writes what test-tally.mjs counts. Jest's own `--json` ends each run by naming a file that is gone. */
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
