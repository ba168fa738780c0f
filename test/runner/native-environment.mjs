import { createRequire } from 'node:module';

// A dependency of jest-config, not of this package.
const jest = createRequire(import.meta.resolve('jest'));
const core = createRequire(jest.resolve('@jest/core'));
const { TestEnvironment } = createRequire(core.resolve('jest-config'))('jest-environment-node');

/**
 * The environment of a spec whose modules Node loads: mocks and fake timers change the objects and the clock of the process.
 * The console and the `process` that Jest changes for each spec remain objects of its own.
 */
export default class NativeEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { moduleMocker, fakeTimersModern } = this;
    this.moduleMocker = new moduleMocker.constructor(globalThis);
    this.fakeTimersModern = new fakeTimersModern.constructor({
      config: config.projectConfig,
      global: globalThis,
    });
  }
}
