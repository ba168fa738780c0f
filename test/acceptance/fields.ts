import type { DataTable } from '@cucumber/cucumber';

/** What a table shows for a field that is not there. */
const ABSENT = 'absent';

/** A field of a JSON document by its path: `items.0.status` is the status of the first item. */
export function fieldOf(document: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], document);
}

/** A value as tables show it: a text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined) return ABSENT;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The rows of a table as pairs of a name and a value, whose words are replaced. */
export function rowsOf(
  table: DataTable,
  fill: (text: string) => Promise<string>,
): Promise<[string, string][]> {
  return Promise.all(
    table
      .raw()
      .map(async ([name = '', value = '']) => [await fill(name), await fill(value)] as [string, string]),
  );
}
