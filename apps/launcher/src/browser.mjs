import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
// Node strips the types of this file: the worker looks for browsers by the same code, once it is built.
import { installedBrowsers, isProgram } from '../../../libs/browser/src/launch/browser-candidates.ts';
import { carriedChromium } from './carried-chromium.mjs';
import { writeWhole } from './data-folder.mjs';
import { StartError } from './output.mjs';
import { systemTool } from './processes.mjs';
import { runTask } from './tasks.mjs';

/** @import { Variables } from './addresses.mjs' */

/** @typedef {{ file: string, libraryPath?: string | undefined }} Candidate */
/** @typedef {{ works: true, sandbox: boolean }} Proof */
/** @typedef {{ dataDir: string, env?: Variables, built?: Promise<unknown> }} BrowserOptions */

/** @type {Proof[]} */
const ON_AND_OFF = [
  { works: true, sandbox: true },
  { works: true, sandbox: false },
];

/**
 * Finds a browser that starts: that of PUPPETEER_EXECUTABLE_PATH, else the first that starts of those of the system, those
 * that Puppeteer has downloaded and the one that npm carries. Each is started once by the code of the worker, with the
 * sandbox and, where the machine allows none, without. The result is kept for as long as the browser does not change.
 *
 * @param {BrowserOptions} options `built` resolves once there is a build.
 * @returns the variables of the browser for the worker; CHROMIUM_SANDBOX only where it is `off`
 * @throws StartError when no browser starts, with what each printed
 */
export async function findBrowser({ dataDir, env = process.env, built = Promise.resolve() }) {
  const proofs = readProofs(dataDir);
  const failures = [];
  for await (const candidate of candidates({ dataDir, env })) {
    const key = keyOf(candidate, env);
    try {
      const proof = proofs[key] ?? (await prove(candidate, { dataDir, env, built }));
      saveProof(dataDir, key, proof);
      return variablesOf(candidate, proof);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      failures.push(`  ${candidate.file}: ${lastWords(error.message)}`);
    }
  }
  throw new StartError(
    `No browser starts on this machine.${failures.length > 0 ? ` Tried:\n${failures.join('\n')}` : ''}\n` +
      'Install one (Debian: apt install chromium-headless-shell), or set PUPPETEER_EXECUTABLE_PATH to one that starts.',
  );
}

/**
 * @param {{ dataDir: string, env: Variables }} options
 * @returns {AsyncGenerator<Candidate>}
 */
async function* candidates({ dataDir, env }) {
  if (env.PUPPETEER_EXECUTABLE_PATH) {
    // The user named this one: another one in its place would hide a mistake.
    yield { file: env.PUPPETEER_EXECUTABLE_PATH, libraryPath: env.BROWSER_LIBRARY_PATH };
    return;
  }
  yield* installedBrowsers({
    searchPath: (env.PATH ?? '').split(path.delimiter).filter(Boolean),
    cacheDir: env.PUPPETEER_CACHE_DIR || path.join(os.homedir(), '.cache/puppeteer'),
  });
  const carried = await carriedChromium(dataDir);
  if (carried) {
    yield { file: carried.file };
    // A bare machine lacks NSS, which comes with the browser.
    yield carried;
  }
}

/**
 * @param {Candidate} candidate
 * @param {Required<BrowserOptions>} options
 * @returns {Promise<Proof>}
 * @throws StartError with what the browser printed at its last start
 */
async function prove(candidate, { dataDir, env, built }) {
  if (!isProgram(candidate.file)) throw new StartError('is not an executable file');
  await built;
  let failure;
  for (const proof of ON_AND_OFF.slice(env.CHROMIUM_SANDBOX === 'off' ? 1 : 0)) {
    try {
      await runTask('try-browser', {
        env: { ...env, DATA_DIR: dataDir, CHROMIUM_SANDBOX: 'on', ...variablesOf(candidate, proof) },
      });
      return proof;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/**
 * @param {Candidate} candidate
 * @param {Proof} proof
 */
function variablesOf({ file, libraryPath }, { sandbox }) {
  return {
    PUPPETEER_EXECUTABLE_PATH: file,
    ...(libraryPath && { BROWSER_LIBRARY_PATH: libraryPath }),
    ...(!sandbox && { CHROMIUM_SANDBOX: 'off' }),
  };
}

/**
 * Finds the most telling line of what a browser printed: the last line that is more than a warning.
 *
 * @param {string} output
 */
export function lastWords(output) {
  const lines = output
    .split('\n')
    .filter((line) => line.trim() !== '' && !/dbus|:WARNING:|^\s*#\d+ /.test(line));
  return (lines.findLast((line) => /FATAL|error while loading/i.test(line)) ?? lines.at(-1) ?? '')
    .trim()
    .slice(0, 300);
}

/**
 * Everything that changes the result: the file, its libraries, the user, and whether the system allows namespaces.
 *
 * @param {Candidate} candidate
 * @param {Variables} env
 */
function keyOf({ file, libraryPath }, env) {
  const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  const user = process.getuid?.();
  return [realPath(file), mtimeMs, size, libraryPath, env.CHROMIUM_SANDBOX, user, namespaces()].join('|');
}

function namespaces() {
  const limits = [
    'user/max_user_namespaces',
    'kernel/unprivileged_userns_clone',
    'kernel/apparmor_restrict_unprivileged_userns',
  ];
  const values = limits.map((name) => readText(`/proc/sys/${name}`).trim());
  const [, seccomp] = /^Seccomp:\s*(\d)/m.exec(readText('/proc/self/status')) ?? [];
  return [...values, seccomp, Boolean(systemTool('unshare')), Boolean(systemTool('setpriv'))].join(',');
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} file */
function realPath(file) {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** @param {string} dataDir */
const proofFile = (dataDir) => path.join(dataDir, 'browser-proofs.json');

/**
 * @param {string} dataDir
 * @returns {Record<string, Proof>}
 */
function readProofs(dataDir) {
  try {
    return JSON.parse(readFileSync(proofFile(dataDir), 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Keeps the last proof only: those of browsers that were updated are of no use.
 *
 * @param {string} dataDir
 * @param {string} key
 * @param {Proof} proof
 */
function saveProof(dataDir, key, proof) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (JSON.stringify(readProofs(dataDir)[key]) !== JSON.stringify(proof)) {
    writeWhole(proofFile(dataDir), JSON.stringify({ [key]: proof }));
  }
}
