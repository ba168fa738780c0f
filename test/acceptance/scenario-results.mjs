import path from 'node:path';

/** Collects how the scenarios ended, in the form in which scripts/test-results.mjs counts the tests of Jest. */
export class ScenarioResults {
  /** The scenarios of each feature file, and whether it could be read. */
  #features = new Map();
  #pickles = new Map();
  #testCases = new Map();
  #running = new Map();

  /** Takes a message of Cucumber (https://github.com/cucumber/messages). */
  add({ source, parseError, pickle, testCase, testCaseStarted, testStepFinished, testCaseFinished }) {
    if (source) this.#features.set(source.uri, { isUnreadable: false, scenarios: [] });
    if (parseError) this.#features.get(parseError.source.uri).isUnreadable = true;
    if (pickle) this.#pickles.set(pickle.id, pickle);
    if (testCase) this.#testCases.set(testCase.id, this.#pickles.get(testCase.pickleId));
    if (testCaseStarted) this.#running.set(testCaseStarted.id, this.#begin(testCaseStarted));
    if (testStepFinished) this.#finishStep(testStepFinished);
    if (testCaseFinished) this.#running.get(testCaseFinished.testCaseStartedId).hasEnded = true;
  }

  #begin({ testCaseId }) {
    const scenario = { steps: [], hasEnded: false };
    this.#features.get(this.#testCases.get(testCaseId).uri).scenarios.push(scenario);
    return scenario;
  }

  #finishStep({ testCaseStartedId, testStepResult }) {
    this.#running.get(testCaseStartedId).steps.push(testStepResult.status);
  }

  /** The feature files with their scenarios. One that cannot be read has failed without a scenario. */
  list() {
    return [...this.#features].map(([uri, { isUnreadable, scenarios }]) => {
      const assertionResults = scenarios.map((scenario) => ({
        status: hasPassed(scenario) ? 'passed' : 'failed',
      }));
      const hasFailed = isUnreadable || assertionResults.some(({ status }) => status === 'failed');
      return { name: path.resolve(uri), status: hasFailed ? 'failed' : 'passed', assertionResults };
    });
  }
}

/** A scenario passes when each of its steps does: one without steps, or with a step that nobody has written, fails. */
function hasPassed({ steps, hasEnded }) {
  return hasEnded && steps.length > 0 && steps.every((status) => status === 'PASSED');
}
