import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from './data-folder.mjs';

/**
 * Identifies the state of files. Compares by time and size, as make does: reading every file would take longer than the
 * rest of a warm start.
 *
 * @param {readonly string[]} files
 */
export function fingerprint(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { mtimeMs, size } = statSync(path.join(root, file));
    hash.update(`${file}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest('hex');
}

/**
 * The files below a folder of the checkout, by their paths in it.
 *
 * @param {string} folder
 */
export function filesBelow(folder) {
  const absolute = path.join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

/** @param {string} file */
export const isTest = (file) => /\.(int-)?spec\.tsx?$/.test(file);
