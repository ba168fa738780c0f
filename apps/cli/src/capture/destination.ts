import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { FORMAT_CATALOGUE } from '@capture-service/client';
import { CliError } from '../context/cli-error.js';
import { EXIT } from '../context/exit-codes.js';
import { checkWritable } from '../files/file-writer.js';
import type { GivenOptions } from '../options/given-options.js';

/** Where `-o` puts what was captured. */
export type Destination =
  | { readonly kind: 'stdout' }
  /** A folder, where a file has the name that the service gives it. */
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'file'; readonly file: string };

/**
 * Reads `-o`; without it, files are written to the current folder.
 *
 * @throws CliError when nothing can be written there, before anything is captured for it
 */
export async function destinationOf(output = './'): Promise<Destination> {
  if (output === '-') return { kind: 'stdout' };
  const isFolder =
    /[/\\]$/.test(output) || statSync(output, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) {
    await checkWritable(output);
    return { kind: 'file', file: output };
  }
  await checkWritable(path.join(nearestFolder(path.resolve(output)), 'file'));
  return { kind: 'folder', folder: output };
}

/** The folder, or what is there of its path: the rest is made when there is a file for it. */
function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}

/** The names of the formats by the extensions of their files, with the dot. */
const FORMATS: ReadonlyMap<string, string> = new Map(
  FORMAT_CATALOGUE.flatMap(({ name, extension, otherExtensions }) =>
    [extension, ...otherExtensions].map((each) => [`.${each}`, name] as const),
  ),
);

/** Options that follow from the extension of a file, unless they are given: its format, or an archive of all files. */
export function optionsOfExtension(
  file: string,
  given: GivenOptions,
): { readonly format?: string; readonly response?: 'zip' } {
  const extension = path.extname(file).toLowerCase();
  if (extension === '.zip') return { response: 'zip' };
  if (extension === '' || given.format !== undefined || given.outputs !== undefined) return {};
  const format = FORMATS.get(extension);
  if (format === undefined) {
    throw new CliError(`The extension ${extension} belongs to no format. Add --format, or use ${known()}.`);
  }
  return { format };
}

const known = (): string => `${[...FORMATS.keys()].join(', ')} or .zip`;

/** Where a slice of a picture goes: the third slice of `page.png` is `page-003.png`. A folder has room for all. */
export function destinationOfSlice(destination: Destination, name: string): Destination {
  if (destination.kind !== 'file') return destination;
  const { dir, name: base, ext } = path.parse(destination.file);
  const number = /-\d+$/.exec(name)?.[0] ?? '';
  return { kind: 'file', file: path.join(dir, `${base}${number}${ext}`) };
}

const MAX_SAME_NAMES = 10_000;

/**
 * The path of a file whose name the service chose. It stays in the folder, is not hidden, and no file is there: the second
 * capture of a page is `example.com-2.png`.
 */
export function freePathIn(folder: string, filename: string): string {
  const { name, ext } = path.parse(safeName(filename));
  for (let n = 1; n <= MAX_SAME_NAMES; n++) {
    const candidate = path.join(folder, n === 1 ? `${name}${ext}` : `${name}-${n}${ext}`);
    if (!existsSync(candidate)) return candidate;
  }
  throw new CliError(`${folder} has ${MAX_SAME_NAMES} files named ${name}${ext}.`, { exitCode: EXIT.failed });
}

function safeName(filename: string): string {
  const name = path
    .basename(filename.replaceAll('\\', '/'))
    // oxlint-disable-next-line no-control-regex -- a name must not control the terminal
    .replace(/[\u0000-\u001f\u007f<>:"|?*]/g, '_')
    .replace(/^\.+/, '');
  return name === '' ? 'capture' : name;
}
