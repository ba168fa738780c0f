/** A record of a CSV as it stands in its file; its cells are not parsed. */
export interface CsvRecord {
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
export function splitCsv(bytes: Buffer): CsvRecord[] {
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
