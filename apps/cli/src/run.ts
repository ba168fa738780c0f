import { styleText } from 'node:util';
import type { CliContext } from './cli-context.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { failureOf } from './failure.js';
import { createProgram } from './program.js';

/** Runs one command line and returns its exit code. It prints the reason of a failure, and never throws. */
export async function run(args: readonly string[], context: CliContext): Promise<ExitCode> {
  // A command line that cannot be parsed is reported as JSON, too.
  context.flags = { json: args.includes('--json') };
  try {
    await createProgram(context).parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    const cause: unknown = context.signal.aborted ? context.signal.reason : error;
    await context.settled();
    return report(context, cause);
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
