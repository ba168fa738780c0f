import { styleText } from 'node:util';
import { CaptureError } from '@capture-service/client';
import type { CliContext } from './context/cli-context.js';
import { EXIT, type ExitCode } from './context/exit-codes.js';
import { failureOf } from './failure.js';
import { createProgram } from './program.js';
import { warnOfVersion } from './terminal/version-check.js';

/** Runs one command line and returns its exit code. It prints the reason of a failure, and never throws. */
export async function run(args: readonly string[], context: CliContext): Promise<ExitCode> {
  // A command line that cannot be parsed is reported as JSON, too.
  context.flags = { json: args.includes('--json') };
  try {
    await createProgram(context).parseAsync(args, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    const cause: unknown = context.signal.aborted ? context.signal.reason : error;
    await context.settled();
    const exitCode = report(context, cause);
    await warnIfOtherVersion(context, cause);
    return exitCode;
  }
}

/** Prints a line for a person on stderr, and with `--json` the problem for a program on stdout. */
function report(context: CliContext, error: unknown): ExitCode {
  const { exitCode, lines, problem } = failureOf(error);
  for (const line of lines) {
    context.stderr.write(`${styleText('red', 'error:', { stream: process.stderr })} ${line}\n`);
  }
  if (context.json && exitCode !== EXIT.ok) context.stdout.write(`${JSON.stringify({ error: problem })}\n`);
  return exitCode;
}

/** Errors that a service of another version may give. */
const VERSION_CODES = new Set<string>([
  'invalid_request',
  'invalid_response',
  'not_found',
  'method_not_allowed',
  'unsupported_media_type',
]);
const VERSION_TIMEOUT_MS = 2_000;

/** The version of the service may be the reason of the error: warns when it is another one. */
async function warnIfOtherVersion(context: CliContext, error: unknown): Promise<void> {
  if (!(error instanceof CaptureError) || !VERSION_CODES.has(error.code)) return;
  try {
    await warnOfVersion(context, context.client({ needsKey: false }), {
      timeoutMs: VERSION_TIMEOUT_MS,
      retries: 0,
    });
  } catch {
    // The error has been printed, and without an answer there is nothing to add.
  }
}
