import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasApt, unpackPackages } from './apt.mjs';
import { writeWhole } from './data-folder.mjs';
import { fontsConf } from './fonts-conf.mjs';
import { systemsWithout } from './installed-fonts.mjs';
import { say } from './output.mjs';

/** @import { Variables } from './addresses.mjs' */

const SYSTEM_CONF = '/etc/fonts/fonts.conf';
const USER_FONTS = path.join(os.homedir(), '.local/share/fonts');
const RETRY_AFTER_MS = 24 * 60 * 60_000;

/** Whether the fonts are not the launcher's to provide: the operator has chosen them, or there is no fontconfig here. */
export const areFontsGiven = (/** @type {Variables} */ env) =>
  Boolean(env.BROWSER_FONTCONFIG_FILE) || process.platform !== 'linux';

/**
 * Provides fonts for all writing systems: what the system lacks is fetched once from its distribution into the data folder,
 * without root. It never rejects: a capture without some letters is better than none.
 *
 * @param {{ dataDir: string, env?: Variables, installed: string[] | undefined }} options `installed`: see `listFonts`
 * @returns the variable of the browser's font settings, where they are not those of the system
 */
export async function provideFonts({ dataDir, env = process.env, installed }) {
  if (areFontsGiven(env)) return {};
  const lacking = systemsWithout(installed);
  // What was fetched is needed, although fontconfig lists it: the browser did not draw it.
  const isComplete = lacking.length === 0 && fetchedPackages(dataDir).length === 0;
  if (isComplete && existsSync(SYSTEM_CONF)) return {};
  await fetchFonts({ dataDir, packages: lacking.map((system) => system.package) });
  return { BROWSER_FONTCONFIG_FILE: writeConf(fontsFolder(dataDir)) };
}

/**
 * The folder of everything about fonts.
 *
 * @param {string} dataDir
 */
export const fontsFolder = (dataDir) => path.join(dataDir, 'tools/fonts');

/**
 * The folder of the index that the browser's fontconfig keeps: without it each browser reads all fonts when it starts.
 *
 * @param {string} dataDir
 */
export const fontCache = (dataDir) => path.join(fontsFolder(dataDir), 'cache');

/**
 * The packages that were fetched.
 *
 * @param {string} dataDir
 */
export function fetchedPackages(dataDir) {
  const docs = path.join(fontsFolder(dataDir), 'packages/usr/share/doc');
  return existsSync(docs) ? readdirSync(docs).sort() : [];
}

/**
 * Fetches the packages that are not there yet, and keeps the others. Once a day at most: offline, apt may take long to give up.
 *
 * @param {{ dataDir: string, packages: string[] }} options
 * @returns the reason when they could not be fetched
 */
export async function fetchFonts({ dataDir, packages }) {
  const fetched = fetchedPackages(dataDir);
  const wanted = [...new Set([...fetched, ...packages])];
  const added = wanted.slice(fetched.length);
  if (added.length === 0) return undefined;
  const home = fontsFolder(dataDir);
  const failed = path.join(home, 'failed');
  const ageMs = Date.now() - (statSync(failed, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (!hasApt()) return 'this is no Debian or Ubuntu';
  if (ageMs < RETRY_AFTER_MS)
    return `${readFileSync(failed, 'utf8')}; delete ${failed} to try again before a day is over`;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  try {
    say(`fonts: fetching ${added.join(', ')}`);
    await unpackPackages({ packages: wanted, into: path.join(home, 'packages') });
    rmSync(failed, { force: true });
    // Unpacked folders have the times of the packages, by which fontconfig does not see that they have changed.
    rmSync(fontCache(dataDir), { recursive: true, force: true });
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    writeFileSync(failed, reason);
    return reason;
  }
}

/**
 * Writes the font settings for browsers.
 *
 * @param {string} home
 */
export function writeConf(home) {
  const conf = path.join(home, 'fonts.conf');
  mkdirSync(path.join(home, 'cache'), { recursive: true, mode: 0o755 });
  // A browser of root runs as another user, who sees this folder alone of those in the data folder.
  for (const folder of [home, path.join(home, 'cache')]) chmodSync(folder, 0o755);
  writeWhole(conf, fontsConf({ home, systemConf: SYSTEM_CONF, userFonts: USER_FONTS }), 0o644);
  return conf;
}
