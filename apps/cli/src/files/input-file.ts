import { readFileSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';

/**
 * Reads a file that the command line names; `-` is standard input, which is read until its end or Ctrl-C.
 *
 * @throws CliError that says why it cannot be read
 */
export async function readInput({ stdin, signal }: CliContext, file: string): Promise<Buffer> {
  return file === '-' ? buffer(addAbortSignal(signal, stdin as Readable)) : readNamedFile(file);
}

/** The same, of a file only. */
export function readNamedFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new CliError(`${file} cannot be read: ${REASONS[code] ?? message}.`, {
      code: 'unreadable_file',
      cause: error,
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
};
