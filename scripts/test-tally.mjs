/**
 * What runs of Jest come to, as test-results.mjs writes it. A spec that failed and was run again counts as it did then,
 * and is named: it is right, and not as robust as it has to be.
 */
import path from 'node:path';

/** Paths of the specs that failed, or did not load. */
export function failedSpecs(results) {
  return results.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** Counts of a run and of the one that repeated its failed specs. */
export function tally(first, second = []) {
  const repeated = new Set(second.map(({ name }) => name));
  const counting = [...first.filter(({ name }) => !repeated.has(name)), ...second];
  const failed = new Set(failedSpecs(second));
  return {
    passed: countOf(counting, 'passed'),
    // A spec that does not load has no tests.
    failed: countOf(counting, 'failed') + counting.filter(isUnloaded).length,
    skipped: countOf(counting, 'pending') + countOf(counting, 'todo'),
    shaky: [...repeated].filter((name) => !failed.has(name)),
  };
}

/** The lines at the end: which specs passed only by themselves, then all counts. */
export function summaryOf(tallies) {
  const sum = (key) => tallies.reduce((total, each) => total + each[key], 0);
  const shaky = tallies.flatMap((each) => each.shaky).map((name) => path.relative('.', name));
  const skipped = sum('skipped');
  return [
    ...shaky.map((name) => `shaky: ${name} failed at first, and passed by itself`),
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
