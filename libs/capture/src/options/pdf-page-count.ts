/** Enough for the end of a file, and for one of the short objects below. */
const READ_CHARS = 4_096;
/** Each line of the table of objects. */
const ENTRY_BYTES = 20;

/**
 * The number of pages of a PDF as Chromium writes it: with a plain table of its objects at the end. Null for a file without
 * one. Only the objects on the way to the number are read, by their place: a page can write anything into all others.
 */
export function countPages(pdf: Buffer): number | null {
  const end = pdf.toString('latin1', Math.max(0, pdf.length - READ_CHARS));
  const table = /\bstartxref\s+(\d+)\s+%%EOF\s*$/.exec(end)?.[1];
  const root = /\/Root (\d+) 0 R/.exec(end.slice(end.lastIndexOf('trailer')))?.[1];
  if (table === undefined || root === undefined) return null;
  const objectOf = (number: string): string => objectAt(pdf, Number(table), Number(number));
  const pages = /\/Pages (\d+) 0 R/.exec(objectOf(root))?.[1];
  const count = pages === undefined ? undefined : /\/Count (\d+)/.exec(objectOf(pages))?.[1];
  return count === undefined ? null : Number(count);
}

/** The text of the object of this number, '' when there is none. */
function objectAt(pdf: Buffer, table: number, number: number): string {
  const head = /^xref\s+0 \d+\s+/.exec(pdf.toString('latin1', table, table + READ_CHARS))?.[0];
  if (head === undefined) return '';
  const entry = table + head.length + number * ENTRY_BYTES;
  const place = Number(pdf.toString('latin1', entry, entry + 10));
  const text = pdf.toString('latin1', place, place + READ_CHARS);
  return text.startsWith(`${number} 0 obj`) ? (text.split('endobj', 1)[0] ?? '') : '';
}
