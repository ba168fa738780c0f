import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { addCommand } from '../context/global-options.js';
import { factsOf, printRecord } from '../terminal/output.js';

/** `capture usage`. */
export function registerUsage(program: Command, context: CliContext): void {
  addCommand(program, 'usage', 'what the account has used and has left').action(async () => {
    const usage = await context.client().usage({ signal: context.signal });
    const { total, used, available, concurrency } = usage;
    await printRecord(context, usage, () =>
      factsOf([
        ['captures', `${used} of ${total} used, ${available} left`],
        ['in progress', `${concurrency.limit - concurrency.remaining} of at most ${concurrency.limit}`],
      ]),
    );
  });
}
