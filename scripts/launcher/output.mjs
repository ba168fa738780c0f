import { createInterface } from 'node:readline';

const NAMES = ['start', 'api', 'worker'];
const WIDTH = Math.max(...NAMES.map((name) => name.length));
const COLOURS = { start: 36, api: 32, worker: 35 };

/** Colours are for a person at a terminal; https://no-color.org. */
export const inColour = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;

// The terminal may go away before we do; what is left to do is then done in silence.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

/** One line of the launcher. */
export function say(line) {
  process.stdout.write(`${prefix('start')}${line}\n`);
}

/** Passes a process's output on, each line behind the process's name. */
export function relay(name, child) {
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      process.stdout.write(`${prefix(name)}${line}\n`);
    });
  }
}

export function prefix(name, colour = inColour) {
  const label = `${name.padEnd(WIDTH)}|`;
  return colour ? `\u001b[${COLOURS[name] ?? 37}m${label}\u001b[0m ` : `${label} `;
}

/** Exit code of a process of ours whose stderr explains its failure in full. */
export const EXPLAINED = 3;

/** A failure that its message explains in full; printed without a stack. */
export class StartError extends Error {
  name = 'StartError';
}

export function report(error) {
  const text = error instanceof StartError ? error.message : (error?.stack ?? String(error));
  for (const line of text.split('\n')) process.stderr.write(`${prefix('start')}${line}\n`);
}
