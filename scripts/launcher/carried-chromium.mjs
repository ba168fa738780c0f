import {
  chmodSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { draftFolder } from './files.mjs';
import { say, StartError } from './output.mjs';
import { run, tied } from './processes.mjs';

const UNPACK = fileURLToPath(new URL('unpack-chromium.mjs', import.meta.url));

/**
 * The Chromium inside the npm package @sparticuz/chromium (Linux on x64), unpacked once into the data folder.
 * It trails the released Chromium by some versions: the last choice, for machines that have no browser.
 */
export async function carriedChromium(dataDir) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const version = carriedVersion();
  if (!version) return undefined;
  const home = path.join(dataDir, 'chromium', version);
  if (!existsSync(home)) await unpack(home);
  settleRights(home);
  return { path: path.join(home, 'chromium'), libraryPath: path.join(home, 'al2023/lib') };
}

/**
 * The archives make the program root's alone and name owners of another machine, who may be users of this one. Everybody may
 * run it, as a browser of root's is another user, and its owner alone may change it.
 */
function settleRights(home) {
  if (statSync(path.join(home, 'chromium')).mode % 0o1000 === 0o755) return;
  for (const name of readdirSync(home, { recursive: true })) {
    const file = path.join(home, name);
    const { mode } = lstatSync(file);
    if (process.getuid?.() === 0) lchownSync(file, 0, 0);
    if ((mode & constants.S_IFMT) === constants.S_IFLNK) continue;
    chmodSync(file, mode & 0o100 ? 0o755 : 0o644);
  }
}

function carriedVersion() {
  try {
    const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
    return JSON.parse(readFileSync(path.resolve(entry, '../../package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}

async function unpack(home) {
  say('no browser on this machine: unpacking the one that npm brought');
  const draft = draftFolder(home);
  // The package unpacks into the temporary folder and trusts what lies there already: give it an empty one.
  const result = await run(tied(process.execPath, [UNPACK]), { env: { ...process.env, TMPDIR: draft } });
  if (result.code !== 0) {
    rmSync(draft, { recursive: true, force: true });
    throw new StartError(`The browser that npm brought could not be unpacked.\n${result.stderr.trim()}`);
  }
  try {
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
  removeOthers(home);
}

function removeOthers(home) {
  const folder = path.dirname(home);
  for (const name of readdirSync(folder)) {
    if (/^\d+(\.\d+)*$/.test(name) && name !== path.basename(home)) {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    }
  }
}
