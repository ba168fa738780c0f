import { EXIT, type ExitCode } from './exit-codes.js';

interface CliErrorOptions extends ErrorOptions {
  /** `usage` unless stated. */
  readonly exitCode?: ExitCode;
  /** A stable code for `--json`. */
  readonly code?: string;
  /** More for `--json`. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** A failure that its message explains in full. It is printed in one line, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    { exitCode = EXIT.usage, code = 'usage', facts = {}, ...options }: CliErrorOptions = {},
  ) {
    super(message, options);
    this.exitCode = exitCode;
    this.code = code;
    this.facts = facts;
  }
}
