import { once } from 'node:events';
import { styleText } from 'node:util';
import type { CliContext } from '../context/cli-context.js';

/** A column of a table: its heading, and its text for a record. */
export interface Column<T> {
  readonly title: string;
  readonly of: (record: T) => string | number | null | undefined;
  /** Numbers stand at the right. */
  readonly right?: boolean;
}

/** Writes text and waits while the reader is slower. */
export async function write({ stdout, signal }: CliContext, text: string | Uint8Array): Promise<void> {
  if (!stdout.write(text)) await once(stdout, 'drain', { signal });
}

/**
 * Prints one record: into a pipe as a line of JSON, so that records of several commands are NDJSON; on a terminal as indented
 * JSON with `--json`, else as the text that a person reads.
 */
export async function printRecord(context: CliContext, record: unknown, text: () => string): Promise<void> {
  const isText = context.isTTY && !context.json;
  const indent = context.isTTY ? 2 : undefined;
  await write(context, `${isText ? text() : JSON.stringify(record, null, indent)}\n`);
}

/** Prints a list: as NDJSON with `--json` and into a pipe, each record as it comes, else as a table. */
export async function printList<T>(
  context: CliContext,
  records: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
): Promise<void> {
  if (!context.isTTY || context.json) {
    for await (const record of records) await write(context, `${JSON.stringify(record)}\n`);
    return;
  }
  const rows: T[] = [];
  for await (const record of records) rows.push(record);
  await write(context, `${tableOf(rows, columns, context.stdout.columns || undefined)}\n`);
}

/** A table with aligned columns; rows are cut at the width of the terminal. */
export function tableOf<T>(rows: readonly T[], columns: readonly Column<T>[], width = Infinity): string {
  if (rows.length === 0) return 'Nothing to show.';
  const cells = rows.map((row) => columns.map(({ of }) => plain(String(of(row) ?? '-'))));
  const widths = columns.map(({ title }, i) =>
    Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)),
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => (columns[i]?.right ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd()
      .slice(0, width);
  const head = styleText('bold', line(columns.map(({ title }) => title)));
  return [head, ...cells.map(line)].join('\n');
}

/** Facts about one thing, a line each. */
export function factsOf(facts: readonly (readonly [string, string | number | null | undefined])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${styleText('dim', name.padEnd(width))}  ${plain(String(value))}`)
    .join('\n');
}

/** A text from a page or a server without the characters that would control the terminal. */
// oxlint-disable-next-line no-control-regex -- they are what is removed
export const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');

/** `18.2 kB`. */
export function sizeText(bytes: number | null): string | null {
  if (bytes === null) return null;
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** `1.2 s`, and below a second `120 ms`. */
export function durationText(ms: number | null | undefined): string | null {
  if (ms === null || ms === undefined) return null;
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
