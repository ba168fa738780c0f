import { EXIT, type ExitCode } from './exit-codes.js';

/** The reason of the abort when a signal ends the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly signal: 'SIGINT' | 'SIGTERM') {
    super(signal === 'SIGINT' ? 'Interrupted.' : 'Terminated.');
  }

  get exitCode(): ExitCode {
    return this.signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  }
}
