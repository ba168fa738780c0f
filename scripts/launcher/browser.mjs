import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { tryBrowser } from './browser-trial.mjs';
import { carriedChromium } from './carried-chromium.mjs';
import { StartError } from './output.mjs';
import { isExecutable, onPath, systemTool } from './paths.mjs';
import { writeWhole } from './files.mjs';

const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
];
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/**
 * Finds a browser that really starts: the one of PUPPETEER_EXECUTABLE_PATH, the system's on PATH (headless shell first:
 * half the time and a third of the memory), Puppeteer's download, the build that npm carries. Each is launched once with
 * the sandbox and, where the machine allows none, without; the proof is kept for as long as the file does not change.
 *
 * @returns the variables that tell the worker which browser it is; CHROMIUM_SANDBOX only where it is `off`.
 * @throws StartError when none starts, with what each said.
 */
export async function findBrowser({ dataDir, env = process.env }) {
  const proofs = readProofs(dataDir);
  const failures = [];
  for await (const candidate of candidates({ dataDir, env })) {
    const proof = proofs[keyOf(candidate, env)] ?? (await prove(candidate, { env, dataDir }));
    if (proof.works) {
      saveProof(dataDir, keyOf(candidate, env), proof);
      return describe(candidate, proof);
    }
    failures.push(`  ${candidate.path}: ${proof.reason}`);
  }
  throw new StartError(
    `No browser starts on this machine.${failures.length > 0 ? ` Tried:\n${failures.join('\n')}` : ''}\n` +
      'Install one (Debian: apt install chromium-headless-shell), or set PUPPETEER_EXECUTABLE_PATH to one that starts.',
  );
}

async function* candidates({ dataDir, env }) {
  if (env.PUPPETEER_EXECUTABLE_PATH) {
    // Named by the user: another one in its place would hide a mistake.
    yield { path: env.PUPPETEER_EXECUTABLE_PATH, libraryPath: env.BROWSER_LIBRARY_PATH };
    return;
  }
  for (const name of NAMES) {
    const found = onPath(name, env.PATH);
    if (found) yield { path: found };
  }
  if (isExecutable(MAC_CHROME)) yield { path: MAC_CHROME };
  for (const found of downloads(env)) yield { path: found };
  const carried = await carriedChromium(dataDir);
  if (carried) {
    yield { path: carried.path };
    // A bare machine lacks NSS, which comes beside the browser.
    yield { path: carried.path, libraryPath: carried.libraryPath };
  }
}

/** Browsers that Puppeteer downloaded, headless shells first, newest first. */
function downloads(env) {
  const cache = env.PUPPETEER_CACHE_DIR || path.join(os.homedir(), '.cache/puppeteer');
  return ['chrome-headless-shell', 'chrome'].flatMap((browser) =>
    list(path.join(cache, browser))
      .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .flatMap((version) =>
        list(path.join(cache, browser, version)).map((system) =>
          path.join(cache, browser, version, system, browser),
        ),
      )
      .filter(isExecutable),
  );
}

const list = (folder) => (existsSync(folder) ? readdirSync(folder) : []);

async function prove(candidate, { env, dataDir }) {
  if (!isExecutable(candidate.path)) return { works: false, reason: 'is not an executable file' };
  const wanted = env.CHROMIUM_SANDBOX === 'off' ? [false] : [true, false];
  let last;
  for (const sandbox of wanted) {
    last = await tryBrowser(candidate, { sandbox, dataDir });
    if (last.works) return { works: true, sandbox };
  }
  return last;
}

function describe({ path: executable, libraryPath }, { sandbox }) {
  return {
    PUPPETEER_EXECUTABLE_PATH: executable,
    ...(libraryPath && { BROWSER_LIBRARY_PATH: libraryPath }),
    ...(!sandbox && { CHROMIUM_SANDBOX: 'off' }),
  };
}

// Whatever changes the outcome: the file, its libraries, the user, and whether the system hands out namespaces.
function keyOf({ path: executable, libraryPath }, env) {
  const { mtimeMs, size } = statSync(executable, { throwIfNoEntry: false }) ?? {};
  const parts = [
    realPath(executable),
    mtimeMs,
    size,
    libraryPath,
    env.CHROMIUM_SANDBOX,
    process.getuid?.(),
    namespaces(),
  ];
  return parts.join('|');
}

function namespaces() {
  const limits = [
    'user/max_user_namespaces',
    'kernel/unprivileged_userns_clone',
    'kernel/apparmor_restrict_unprivileged_userns',
  ];
  const values = limits.map((name) => readText(`/proc/sys/${name}`)?.trim());
  return [...values, seccompMode(), Boolean(systemTool('unshare')), Boolean(systemTool('setpriv'))].join(',');
}

const seccompMode = () => /^Seccomp:\s*(\d)/m.exec(readText('/proc/self/status') ?? '')?.[1];

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function realPath(file) {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

const proofFile = (dataDir) => path.join(dataDir, 'browser-proofs.json');

function readProofs(dataDir) {
  try {
    return JSON.parse(readFileSync(proofFile(dataDir), 'utf8'));
  } catch {
    return {};
  }
}

// Only the last one: a browser that was updated leaves no trail.
function saveProof(dataDir, key, proof) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (JSON.stringify(readProofs(dataDir)[key]) !== JSON.stringify(proof)) {
    writeWhole(proofFile(dataDir), JSON.stringify({ [key]: proof }));
  }
}
