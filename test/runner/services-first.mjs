import { createRequire } from 'node:module';

// A dependency of @jest/core, not of this package.
const jest = createRequire(import.meta.resolve('jest'));
const core = createRequire(jest.resolve('@jest/core'));
const { default: TestSequencer } = createRequire(core.resolve('jest-config'))('@jest/test-sequencer');

/** From the specs that take longest to those that take milliseconds. */
const PROJECTS = ['slow', 'e2e', 'integration', 'unit'];

const rankOf = ({ context }) => PROJECTS.indexOf(context.config.displayName?.name);

/**
 * Runs the specs that start services before those that start a browser, and unit specs last: these fill the processes until
 * the last of the others has ended. Jest would begin with the largest files, as it does not know how long each takes on a
 * machine that runs them for the first time, and end with one process at work.
 */
export default class ServicesFirst extends TestSequencer {
  /** Within a project it is the order of Jest. */
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rankOf(one) - rankOf(other));
  }
}
