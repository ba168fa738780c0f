import { execFile, execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { temporaryPrefix } from './servers.js';

const MIGRATIONS = 'libs/database/src/migrations';

/** A built checkout of an earlier version of the service. */
export interface EarlierVersion extends AsyncDisposable {
  readonly folder: string;
}

/**
 * Returns the last commit that does not know the newest migration, or undefined where the history is missing, as in a
 * shallow clone or an archive.
 */
export function commitBeforeNewestMigration(): string | undefined {
  const newest = migrations().at(-1) ?? '';
  const words = ['log', '--diff-filter=A', '--format=%P', '--max-count=1', '--', `${MIGRATIONS}/${newest}`];
  try {
    const parents = execFileSync('git', words, { encoding: 'utf8', stdio: 'pipe' });
    return parents.trim().split(' ')[0] || undefined;
  } catch {
    return undefined;
  }
}

/** Checks a commit out into a folder of its own, installs its packages and builds it, which takes about two minutes. */
export async function buildVersion(commit: string): Promise<EarlierVersion> {
  const folder = await mkdtemp(temporaryPrefix('earlier-version'));
  const version = {
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
  const run = (file: string, ...words: string[]): Promise<unknown> =>
    promisify(execFile)(file, words, { cwd: folder });
  try {
    await run('git', 'clone', '--quiet', '--shared', '--no-checkout', process.cwd(), '.');
    await run('git', 'checkout', '--quiet', commit);
    await run(process.execPath, 'scripts/build.mjs');
    return version;
  } catch (error) {
    await version[Symbol.asyncDispose]();
    throw error;
  }
}

/** The files of the migrations, oldest first. */
function migrations(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => /^\d+-/.test(file))
    .sort();
}
