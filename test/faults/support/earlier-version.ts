import { execFile, execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryPrefix } from './servers.js';

/**
 * The released version from which the specs upgrade: its installations must be able to upgrade to this checkout. It is moved on
 * purpose only, in a commit that says why.
 */
const EARLIER_VERSION = '0.2.0';

/** A built checkout of an earlier version of the service. */
export interface EarlierVersion extends AsyncDisposable {
  readonly commit: string;
  readonly folder: string;
  /** Runs a script of the checkout, as its operator would; returns its output. */
  run(file: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<string>;
}

/**
 * Returns the commit that set the version, or undefined where the history is missing, as in a shallow clone or an archive.
 *
 * @throws Error when the whole history is there and no commit set it
 */
export function earlierCommit(): string | undefined {
  const version = `"version": "${EARLIER_VERSION}"`;
  if (git('rev-parse', '--is-shallow-repository') !== 'false') return undefined;
  // Newest first: a later commit has replaced the version by the next one.
  const commit = git('log', `-S${version}`, '--format=%H', '--', 'package.json').split('\n').at(-1);
  if (!commit) throw new Error(`No commit of package.json set ${version}.`);
  return commit;
}

/** The output of git; '' where there is no repository. */
function git(...words: string[]): string {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}

/**
 * Checks a commit out into a folder of its own, installs its packages and builds it, which takes about two minutes.
 *
 * @param lacking features that its workers do not announce, as if this checkout had added them: they may know all that it knows
 */
export async function buildVersion(commit: string, lacking: readonly string[]): Promise<EarlierVersion> {
  const folder = await mkdtemp(temporaryPrefix('earlier-version'));
  const execute = async (file: string, words: readonly string[], env = process.env): Promise<string> =>
    (await promisify(execFile)(file, words, { cwd: folder, env })).stdout;
  const version: EarlierVersion = {
    commit,
    folder,
    run: (file, words, env) => execute(process.execPath, [file, ...words], env),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
  try {
    await execute('git', ['clone', '--quiet', '--shared', '--no-checkout', process.cwd(), '.']);
    await execute('git', ['checkout', '--quiet', commit]);
    const source = await execute('git', ['grep', '--files-with-matches', 'export const KNOWN_FEATURES']);
    await forget(lacking, path.join(folder, source.trim()));
    await execute(process.execPath, ['scripts/build.mjs']);
    return version;
  } catch (error) {
    await version[Symbol.asyncDispose]();
    throw error;
  }
}

/** Takes features out of the list of what the workers of a checkout know, which this source exports. */
async function forget(features: readonly string[], source: string): Promise<void> {
  const known = `KNOWN_FEATURES.filter((each) => !${JSON.stringify(features)}.includes(each))`;
  await appendFile(source, `\n(KNOWN_FEATURES as string[]).splice(0, Infinity, ...${known});\n`);
}
