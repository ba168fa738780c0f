import path from 'node:path';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';
import { readInput } from '../files/input-file.js';
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

const BY_EXTENSION: Readonly<Record<string, ListFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.json': 'json',
  '.jsonl': 'json',
  '.ndjson': 'json',
};

/** First bytes that are enough to recognize the format. */
const HEAD_BYTES = 65_536;

/** The columns of which a CSV needs one; no URL looks like them. */
const TARGETS = new Set(['url', 'html']);

/** The format of a list by the extension of its file, or else by how it begins. */
export function formatOf(name: string, bytes: Buffer): ListFormat {
  return BY_EXTENSION[path.extname(name).toLowerCase()] ?? formatOfContent(bytes);
}

function formatOfContent(bytes: Buffer): ListFormat {
  const head = bytes
    .subarray(0, HEAD_BYTES)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (/^[[{]/.test(head)) return 'json';
  const [first = ''] = head.split(/[\r\n]/, 1);
  const cells = first.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  return cells.some((cell) => TARGETS.has(cell)) ? 'csv' : 'text';
}
