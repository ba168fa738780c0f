import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../apps/launcher/src/data-folder.mjs';

const CONTEXT_LINES = 2;

/** What would change in a file of the repository, as a unified diff; where git lacks, only that it would. */
export function difference(file, text) {
  const old = existsSync(path.join(root, file)) ? file : '/dev/null';
  const args = ['diff', '--no-index', `--unified=${CONTEXT_LINES}`, '--no-color', '--', old, '-'];
  // `git diff --no-index` answers 1 when the files differ, which is what we ask it for.
  const { status, stdout } = spawnSync('git', args, { cwd: root, input: text, encoding: 'utf8' });
  return status === 1 ? stdout : `${file} would change`;
}
