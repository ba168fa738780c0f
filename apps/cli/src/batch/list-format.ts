import path from 'node:path';
import type { ListFormat } from './source-rows.js';

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
