import type { CliContext } from '../cli-context.js';
import { CliError } from '../cli-error.js';
import { readInput } from '../input-file.js';
import { formatOf } from './list-format.js';
import {
  nameOf,
  rowsOf,
  UnreadableListError,
  type ListFile,
  type ListFormat,
  type SourceRow,
} from './source-rows.js';

/**
 * Reads lists from files, and from standard input for `-`.
 *
 * @param from their format; without it that of each file is recognized
 * @throws CliError that names the file
 */
export async function readLists(
  context: CliContext,
  sources: readonly string[],
  from: ListFormat | undefined,
): Promise<SourceRow[]> {
  const files: ListFile[] = [];
  for (const name of sources) {
    const bytes = await bytesOf(context, name);
    files.push({ name, bytes, format: from ?? formatOf(name, bytes) });
  }
  const rows = readable(() => rowsOf(files));
  if (rows.length > 0) return rows;
  const names = sources.map((name) => nameOf({ name })).join(', ');
  throw new CliError(`${names} ${sources.length === 1 ? 'has' : 'have'} no rows.`);
}

/** @throws CliError instead of UnreadableListError */
export function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableListError) throw new CliError(error.message, { cause: error });
    throw error;
  }
}

async function bytesOf(context: CliContext, name: string): Promise<Buffer> {
  if (name === '-' && context.stdin.isTTY === true) {
    throw new CliError(
      '- reads a list from standard input, which is a terminal. Name a file, or pipe the list.',
    );
  }
  return readInput(context, name);
}
