import { statSync } from 'node:fs';
import path from 'node:path';
import { CliError } from '../context/cli-error.js';
import { nearest } from './nearest.js';

/** What the first argument of `capture` names. */
export type Target =
  | { readonly kind: 'url'; readonly url: string }
  /** A page on this machine. */
  | { readonly kind: 'page'; readonly file: string }
  /** A list of pages in a file, or in standard input: `-`. */
  | { readonly kind: 'list'; readonly file: string };

/** Files of these kinds are no hosts. */
const LISTS = new Set(['.txt', '.csv', '.tsv', '.json', '.jsonl', '.ndjson']);
const PAGES = new Set(['.html', '.htm', '.xhtml']);

/** A host as people type it, with its port and path. */
const HOST = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#].*)?$/;

/**
 * Reads the argument: a URL, a file with HTML by its extension, or else a list of pages.
 *
 * @param commands names of the commands, of which a mistyped one arrives here
 * @throws CliError for anything else
 */
export function targetOf(text: string, commands: readonly string[]): Target {
  if (text === '') throw new CliError('The page is empty. Name a URL, such as https://example.com.');
  if (text === '-') return { kind: 'list', file: text };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: 'url', url: text };
  const isFolder = statSync(text, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) throw new CliError(`No file is called ${text}.${advice(text, commands)}`);
  if (isFolder) throw new CliError(`${text} is a folder. Name a file with a list of pages, or a URL.`);
  return { kind: PAGES.has(path.extname(text).toLowerCase()) ? 'page' : 'list', file: text };
}

function advice(text: string, commands: readonly string[]): string {
  const command = nearest(text, commands);
  if (command !== undefined) return ` Did you mean \`capture ${command}\`?`;
  const extension = path.extname(text).toLowerCase();
  if (LISTS.has(extension) || PAGES.has(extension)) return '';
  if (HOST.test(text)) return ` To capture the page, write https://${text}.`;
  return ' A URL begins with http:// or https://.';
}
