/** How a list of captures is written. */
export const LIST_FORMATS = ['text', 'csv', 'json'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/** A file with a list of captures, as it was read. */
export interface ListFile {
  /** As it was given on the command line; `-` is the standard input. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly format: ListFormat;
}

interface Place {
  /** From 1, over all files. */
  readonly row: number;
  readonly file: string;
  /** The line in which the row begins, from 1; undefined in a JSON array. */
  readonly line?: number;
}

/** A row of a list as it was written. Only the service knows whether it is valid. */
export type SourceRow = JsonRow | CsvRow;

export interface JsonRow extends Place {
  readonly kind: 'json';
  readonly item: unknown;
}

export interface CsvRow extends Place {
  readonly kind: 'csv';
  /** Bytes as Latin 1 characters. */
  readonly text: string;
  readonly header: CsvHeader;
}

/** The first line of a CSV; one object for all rows of the file. */
export interface CsvHeader {
  readonly text: string;
  readonly line: number;
}

/** A list, or a line of it, that cannot be read; nothing can be submitted. */
export class UnreadableListError extends Error {
  override readonly name = 'UnreadableListError';
}

/**
 * The rows of all files, numbered in the order of the files.
 *
 * @throws UnreadableListError that names the file, and the line if it concerns one
 */
export function rowsOf(files: readonly ListFile[]): SourceRow[] {
  const rows: SourceRow[] = [];
  for (const file of files) {
    for (const found of READERS[file.format](file)) rows.push({ ...found, row: rows.length + 1 });
  }
  return rows;
}

type Unnumbered = Omit<JsonRow, 'row'> | Omit<CsvRow, 'row'>;

const READERS: Readonly<Record<ListFormat, (file: ListFile) => Iterable<Unnumbered>>> = {
  text: readText,
  csv: readCsv,
  json: readJson,
};

/** One URL in each line. Blank lines and those that begin with `#` are left out. */
function* readText(file: ListFile): Iterable<Unnumbered> {
  for (const { text, line } of linesOf(textOf(file))) {
    if (text.startsWith('#')) continue;
    yield { kind: 'json', file: file.name, line, item: { url: text } };
  }
}

function* readCsv({ name, bytes }: ListFile): Iterable<Unnumbered> {
  const [header, ...records] = splitCsv(bytes);
  if (!header) return;
  for (const { text, line } of records) yield { kind: 'csv', file: name, line, text, header };
}

/** A JSON array, JSON lines, or a single object. A string stands for the row with this URL. */
function* readJson(file: ListFile): Iterable<Unnumbered> {
  const text = textOf(file).trim();
  const whole = text.startsWith('[') ? parse(text) : undefined;
  if (whole) {
    if ('fault' in whole) throw new UnreadableListError(`${nameOf(file)} is not valid JSON: ${whole.fault}.`);
    for (const item of whole.value as unknown[]) {
      yield { kind: 'json', file: file.name, item: itemOf(item) };
    }
    return;
  }
  const single = parse(text);
  if ('value' in single) {
    yield { kind: 'json', file: file.name, line: 1, item: itemOf(single.value) };
    return;
  }
  for (const { text: json, line } of linesOf(textOf(file))) {
    const parsed = parse(json);
    if ('fault' in parsed) {
      throw new UnreadableListError(
        `Line ${line} of ${nameOf(file)} is not valid JSON: ${parsed.fault}. Write one object in each line, or one array of objects.`,
      );
    }
    yield { kind: 'json', file: file.name, line, item: itemOf(parsed.value) };
  }
}

function itemOf(value: unknown): unknown {
  return typeof value === 'string' ? { url: value } : value;
}

function parse(json: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: JSON.parse(json) as unknown };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

interface Line {
  readonly text: string;
  readonly line: number;
}

function linesOf(text: string): Line[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((each, i) => ({ text: each.trim(), line: i + 1 }))
    .filter((each) => each.text !== '');
}

function textOf({ name, bytes }: ListFile): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Answered below.
  }
  throw new UnreadableListError(`${nameOf({ name })} is not text in UTF-8. Save it as UTF-8.`);
}

/** How messages call the file. */
export function nameOf({ name }: Pick<ListFile, 'name'>): string {
  return name === '-' ? 'The standard input' : name;
}

/** A record of a CSV as it stands in its file; its cells are not parsed. */
interface CsvRecord {
  /** Bytes as Latin 1 characters, so that none is lost, without the end of the line. */
  readonly text: string;
  /** The line of the file in which it begins, from 1. */
  readonly line: number;
}

/** A quote opens or closes a cell; line ends outside of quotes end a record. */
const MARKS = /"|\r\n|\n|\r/g;

/**
 * Splits a CSV into its records, of which the first is the header. Blank lines are left out, as the service does. Everything
 * else about the CSV is left to the service, which knows what its cells mean.
 */
function splitCsv(bytes: Buffer): CsvRecord[] {
  const text = bytes.toString('latin1');
  const records: CsvRecord[] = [];
  let [line, start, startLine, isQuoted] = [1, 0, 1, false];
  const add = (end: number): void => {
    if (end > start) records.push({ text: text.slice(start, end), line: startLine });
  };
  for (const { 0: mark, index } of text.matchAll(MARKS)) {
    if (mark === '"') {
      isQuoted = !isQuoted;
      continue;
    }
    line++;
    if (isQuoted) continue;
    add(index);
    [start, startLine] = [index + mark.length, line];
  }
  add(text.length);
  return records;
}
