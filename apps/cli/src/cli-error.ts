import { EXIT, type ExitCode } from './exit-codes.js';

interface CliErrorOptions extends ErrorOptions {
  /** `usage` unless stated. */
  readonly exitCode?: ExitCode;
  /** A stable code for `--json`. */
  readonly code?: string;
}

/** A failure that its message explains in full. It is printed in one line, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly code: string;

  constructor(message: string, { exitCode = EXIT.usage, code = 'usage', ...options }: CliErrorOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
    this.code = code;
  }
}
