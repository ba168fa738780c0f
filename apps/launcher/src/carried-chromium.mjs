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
import { carriedBrowser } from '../../../libs/browser/src/browser-candidates.ts';
import { draftFolder } from './data-folder.mjs';
import { say } from './output.mjs';
import { runTask } from './tasks.mjs';

/**
 * The Chromium of the npm package @sparticuz/chromium (Linux on x64), unpacked once into the data folder. It is some
 * versions behind the released Chromium: the last choice, for machines that have no browser.
 *
 * @param {string} dataDir
 */
export async function carriedChromium(dataDir) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const version = carriedVersion();
  if (!version) return undefined;
  const home = path.join(dataDir, 'chromium', version);
  if (!existsSync(home)) await unpack(home);
  settleRights(home);
  return carriedBrowser(home);
}

/** @returns {string | undefined} */
function carriedVersion() {
  try {
    const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
    return JSON.parse(readFileSync(path.resolve(entry, '../../package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** @param {string} home */
async function unpack(home) {
  say('no browser on this machine: unpacking the one that npm brought');
  const draft = draftFolder(home);
  try {
    await runTask('unpack-chromium', { env: { ...process.env, TMPDIR: draft } });
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another launcher may have unpacked it at the same moment.
    if (!existsSync(home)) throw error;
  }
  removeOthers(home);
}

/** @param {string} home */
function removeOthers(home) {
  const folder = path.dirname(home);
  for (const name of readdirSync(folder)) {
    if (/^\d+(\.\d+)*$/.test(name) && name !== path.basename(home)) {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    }
  }
}

/**
 * Makes the files everybody's to read and their owner's to change. The archives make the program root's alone and name
 * owners of another machine, who may be users of this one; and a browser of root runs as another user.
 *
 * @param {string} home
 */
function settleRights(home) {
  if (statSync(path.join(home, 'chromium')).mode % 0o1000 === 0o755) return;
  for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(home, name);
    const { mode } = lstatSync(file);
    if (process.getuid?.() === 0) lchownSync(file, 0, 0);
    if ((mode & constants.S_IFMT) === constants.S_IFLNK) continue;
    chmodSync(file, mode & 0o100 ? 0o755 : 0o644);
  }
}
