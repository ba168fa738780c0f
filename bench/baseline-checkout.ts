import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const BUILT = path.resolve('.data/bench');

/** The commit that bench/baseline names in its first line. */
export async function baselineCommit(): Promise<string> {
  const [first = ''] = (await readFile('bench/baseline', 'utf8')).split('\n');
  return first.trim();
}

/** The folder of this repository at a commit, built. It is kept in .data for the next run. */
export async function buildCheckout(commit: string): Promise<string> {
  const folder = path.join(BUILT, commit);
  if (existsSync(folder)) return folder;
  console.log(`building ${commit} into ${folder}, once`);
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(BUILT, { recursive: true });
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', '.', unfinished]);
  await run('git', ['checkout', '--quiet', commit], unfinished);
  await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], unfinished);
  await run(process.execPath, ['scripts/build.mjs'], unfinished);
  await rename(unfinished, folder);
  return folder;
}

async function run(file: string, words: readonly string[], cwd = '.'): Promise<void> {
  await promisify(execFile)(file, words, { cwd, maxBuffer: 64e6 });
}
