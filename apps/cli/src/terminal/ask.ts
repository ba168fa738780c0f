import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';

/**
 * Asks a person at the terminal, until the signal aborts. What is typed of a secret is not shown.
 *
 * @throws CliError when the input ends without an answer
 */
export async function ask(
  context: CliContext,
  question: string,
  { isSecret = false, until }: { readonly isSecret?: boolean; readonly until?: AbortSignal } = {},
): Promise<string> {
  const { stdin, stderr } = context;
  const signal = until ? AbortSignal.any([context.signal, until]) : context.signal;
  const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
  const lines = createInterface({ input: stdin, output, terminal: true });
  // The terminal is in raw mode, where Ctrl-C is a character.
  lines.on('SIGINT', () => context.interrupt('SIGINT'));
  const ended = new Promise<never>((_, reject) =>
    lines.once('close', () => reject(new CliError('There was no answer.'))),
  );
  if (isSecret) stderr.write(question);
  try {
    return await Promise.race([lines.question(isSecret ? '' : question, { signal }), ended]);
  } finally {
    lines.close();
    if (isSecret) stderr.write('\n');
  }
}
