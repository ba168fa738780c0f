import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beginningOf } from './processes.mjs';

/** Writes a file that readers see whole or not at all. */
export function writeWhole(file, content, mode = 0o600) {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, file);
}

/**
 * A folder beside `target` to build it in before it is renamed into place: a start that is cut short never leaves half of
 * it, and two starts at once do not meet. Removes what such starts left.
 */
export function draftFolder(target) {
  const folder = path.dirname(target);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const [, pid] = /\.draft-(\d+)$/.exec(name) ?? [];
    const isLeft =
      pid && name.startsWith(`${path.basename(target)}.`) && beginningOf(Number(pid)) === undefined;
    if (isLeft) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
  const draft = `${target}.draft-${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  return draft;
}
