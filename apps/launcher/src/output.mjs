import { createInterface } from 'node:readline';

/** @import { ChildProcess } from 'node:child_process' */

/** The processes that print lines, with the colour of each (ANSI). */
const COLOURS = { start: 36, api: 32, worker: 35 };
const WIDTH = Math.max(...Object.keys(COLOURS).map((name) => name.length));

/** Colours are for a person at a terminal; https://no-color.org. */
export const inColour = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;

// The terminal may close before the launcher ends, which must not fail the shutdown.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

/**
 * Prints one line of the launcher.
 *
 * @param {string} line
 */
export function say(line) {
  process.stdout.write(`${prefix('start')}${line}\n`);
}

/**
 * Passes on what a process prints, each line behind the name of the process.
 *
 * @param {Name} name
 * @param {ChildProcess} child
 */
export function relay(name, child) {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      process.stdout.write(`${prefix(name)}${line}\n`);
    });
  }
}

/**
 * @typedef {keyof typeof COLOURS} Name
 * @param {Name} name
 */
export function prefix(name, colour = inColour) {
  const label = `${name.padEnd(WIDTH)}|`;
  return colour ? `\u001b[${COLOURS[name]}m${label}\u001b[0m ` : `${label} `;
}

/** A failure that its message explains in full; it is printed without a stack. */
export class StartError extends Error {
  /** @override */
  name = 'StartError';
}

/**
 * Prints an error on stderr, with its stack unless it is a StartError.
 *
 * @param {unknown} error
 */
export function report(error) {
  for (const line of textOf(error).split('\n')) process.stderr.write(`${prefix('start')}${line}\n`);
}

/** @param {unknown} error */
function textOf(error) {
  if (error instanceof StartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
