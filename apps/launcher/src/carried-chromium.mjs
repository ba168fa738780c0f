import {
  chmodSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { carriedBrowser } from '../../../libs/browser/src/launch/browser-candidates.ts';
import { CHROMIUM } from './chromium-archives.mjs';
import { pinnedVersion } from './fetched-package.mjs';
import { say } from './output.mjs';
import { runTask } from './tasks.mjs';

/**
 * The Chromium of the npm package @sparticuz/chromium (Linux on x64), fetched once into the data folder. It is some
 * versions behind the released Chromium: the last choice, for machines that have no browser.
 *
 * @param {string} dataDir
 */
export async function carriedChromium(dataDir) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const home = path.join(dataDir, 'chromium', pinnedVersion(CHROMIUM) ?? '');
  if (!existsSync(home)) await fetchInto(home);
  settleRights(home);
  return carriedBrowser(home);
}

/** @param {string} home */
async function fetchInto(home) {
  say('no browser on this machine: fetching the one that npm has');
  await runTask('fetch-chromium', { env: { ...process.env, CHROMIUM_FOLDER: home } });
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
