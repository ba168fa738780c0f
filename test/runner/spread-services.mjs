import { createRequire } from 'node:module';

// A dependency of @jest/core, not of this package.
const jest = createRequire(import.meta.resolve('jest'));
const core = createRequire(jest.resolve('@jest/core'));
const { default: TestSequencer } = createRequire(core.resolve('jest-config'))('@jest/test-sequencer');

/** They start the whole service, and wait for it half of their time. */
const WAITING = new Set(['slow', 'e2e']);

const projectOf = ({ context }) => context.config.displayName?.name;

/**
 * Spreads the specs that start the service evenly over those that start a browser, which use the cores while the others wait.
 * Unit specs come last: these fill the processes until the last of the others has ended. Jest would begin with the largest
 * files, as it does not know how long each takes on a machine that runs them for the first time, and end with one process at
 * work.
 */
export default class SpreadServices extends TestSequencer {
  /** Within a project it is the order of Jest. */
  sort(tests) {
    const of = Object.groupBy(super.sort(tests), (test) => {
      const project = projectOf(test);
      if (WAITING.has(project)) return 'waiting';
      return project === 'unit' ? 'unit' : 'busy';
    });
    return [...spread(of.waiting ?? [], of.busy ?? []), ...(of.unit ?? [])];
  }
}

/** The tests of both lists, each in its order: half of one list has begun when half of the other one has. */
function spread(first, second) {
  return [first, second]
    .flatMap((tests) => tests.map((test, index) => ({ test, at: (index + 0.5) / tests.length })))
    .sort((one, other) => one.at - other.at)
    .map(({ test }) => test);
}
