import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { CliContext } from '../cli-context.js';

/** Asks a person at the terminal. What is typed of a secret is not shown. */
export async function ask(
  { stdin, stderr, signal }: CliContext,
  question: string,
  { isSecret = false }: { readonly isSecret?: boolean } = {},
): Promise<string> {
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: isSecret ? nothing : stderr, terminal: true });
  if (isSecret) stderr.write(question);
  try {
    return await lines.question(isSecret ? '' : question, { signal });
  } finally {
    lines.close();
    if (isSecret) stderr.write('\n');
  }
}
