import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

const shared: Config = {
  rootDir: '.',
  // Node loads the modules, compiled by SWC.
  testRunner: '<rootDir>/test/runner/native-runner.mjs',
  testEnvironment: '<rootDir>/test/runner/native-environment.mjs',
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
};

/** Projects whose tests need PostgreSQL and a browser; `unit` needs neither. */
const onServices: Config = {
  ...shared,
  globalSetup: '<rootDir>/test/support/services.setup.mjs',
  globalTeardown: '<rootDir>/test/support/services.teardown.mjs',
};

/** Specs that would take CI longer than its 15 minutes. */
const SLOW = '**/*.slow.{int,e2e}-spec.ts';

/** Faults: the whole service while its servers fail. They print what was observed at the end. */
const onFaults: Config = {
  ...shared,
  globalSetup: '<rootDir>/test/faults/support/faults.setup.mjs',
  globalTeardown: '<rootDir>/test/faults/support/faults.teardown.mjs',
};

const config: Config = {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,bench,libs,scripts,test}/**/*.spec.{ts,mjs}'],
    },
    {
      ...onServices,
      displayName: 'integration',
      testMatch: ['<rootDir>/{apps,libs,scripts,test}/**/*.int-spec.ts', `!${SLOW}`],
    },
    { ...onServices, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.e2e-spec.ts', `!${SLOW}`] },
    { ...onServices, displayName: 'slow', testMatch: [`<rootDir>/{apps,libs,test}/${SLOW}`] },
    { ...onFaults, displayName: 'faults-quick', testMatch: ['<rootDir>/test/faults/quick/*.fault-spec.ts'] },
    { ...onFaults, displayName: 'faults-slow', testMatch: ['<rootDir>/test/faults/slow/*.fault-spec.ts'] },
  ],
  testSequencer: '<rootDir>/test/runner/spread-services.mjs',
  testTimeout: 60_000,
  // The longest specs wait for pages and clocks, and use a quarter to a half of a core.
  maxWorkers: availableParallelism() + 3,
};

export default config;
