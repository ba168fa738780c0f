import { createHash } from 'node:crypto';
import { chmodSync, lchownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { findBrowser } from './browser.mjs';
import { writeWhole } from './data-folder.mjs';
import {
  areFontsGiven,
  fetchedPackages,
  fetchFonts,
  fontCache,
  fontsFolder,
  provideFonts,
  writeConf,
} from './fonts.mjs';
import { listFonts, systemsWithout } from './installed-fonts.mjs';
import { say } from './output.mjs';
import { runTask } from './tasks.mjs';
import { WRITING_SYSTEMS } from './writing-systems.mjs';

/** @import { Variables } from './addresses.mjs' */
/** @import { BrowserOptions } from './browser.mjs' */
/** @import { WritingSystem } from './writing-systems.mjs' */

/**
 * Finds a browser that starts, and provides fonts with which it draws words of all writing systems. Fontconfig says quickly
 * what the system lacks, and what the browser draws decides: the packages of what it draws as boxes are fetched as well.
 *
 * @param {BrowserOptions} options
 * @returns {Promise<{ variables: Variables, failure?: string | undefined }>} the variables of the browser, and why fonts that it
 *   lacks could not be fetched
 * @throws StartError when no browser starts
 */
export async function provideBrowser({ dataDir, env = process.env, built = Promise.resolve() }) {
  const installed = areFontsGiven(env) ? undefined : await listFonts();
  const [browser, fonts] = await Promise.all([
    findBrowser({ dataDir, env, built }),
    provideFonts({ dataDir, env, installed }),
  ]);
  /** @type {Variables} */
  const variables = { ...browser, ...fonts };
  if (areFontsGiven(env)) return { variables };
  const draw = () =>
    drawWords({ dataDir, env: { ...env, ...variables, DATA_DIR: dataDir }, built, installed });
  let undrawn = await draw();
  const lacking = installed ? systemsWithout(installed) : [];
  const wanted = [...lacking, ...WRITING_SYSTEMS.filter(({ name }) => undrawn.includes(name))];
  const before = fetchedPackages(dataDir).length;
  const failure = await fetchFonts({ dataDir, packages: wanted.map((system) => system.package) });
  if (fetchedPackages(dataDir).length > before) {
    variables.BROWSER_FONTCONFIG_FILE = writeConf(fontsFolder(dataDir));
    undrawn = await draw();
  }
  report({ dataDir, undrawn, wanted, failure });
  return { variables, failure };
}

/** @param {{ dataDir: string, undrawn: string[], wanted: WritingSystem[], failure: string | undefined }} outcome */
function report({ dataDir, undrawn, wanted, failure }) {
  if (undrawn.length > 0) say(`fonts: captures show boxes in place of these letters: ${undrawn.join(', ')}.`);
  if (failure === undefined) return;
  const fetched = fetchedPackages(dataDir);
  const packages = new Set(wanted.map((system) => system.package).filter((name) => !fetched.includes(name)));
  const names = [...packages].join(' ');
  say(`fonts: ${names} could not be fetched (${failure}). Install them: apt install ${names}`);
}

/**
 * The names of the writing systems that the browser draws as boxes. The result is kept for as long as neither the fonts nor
 * the browser change.
 *
 * @param {Required<BrowserOptions> & { installed: string[] | undefined }} options
 * @returns {Promise<string[]>}
 */
async function drawWords({ dataDir, env, built, installed }) {
  const file = path.join(fontsFolder(dataDir), 'drawn.json');
  const key = keyOf({ dataDir, env, installed });
  const known = readJson(file);
  if (known?.key === key) return known.undrawn;
  await built;
  try {
    const undrawn = JSON.parse(await withOpenCache(dataDir, () => runTask('draw-words', { env })));
    mkdirSync(fontsFolder(dataDir), { recursive: true, mode: 0o700 });
    writeWhole(file, JSON.stringify({ key, undrawn }));
    return undrawn;
  } catch (error) {
    say(`fonts: they could not be looked at (${error instanceof Error ? error.message : String(error)}).`);
    return [];
  }
}

/** @param {{ dataDir: string, env: Variables, installed: string[] | undefined }} options */
function keyOf({ dataDir, env, installed }) {
  const { PUPPETEER_EXECUTABLE_PATH: browser = '', BROWSER_FONTCONFIG_FILE: conf } = env;
  const { mtimeMs, size } = statSync(browser, { throwIfNoEntry: false }) ?? {};
  const fonts = [installed, fetchedPackages(dataDir), conf && readFileSync(conf, 'utf8')];
  const all = JSON.stringify([browser, mtimeMs, size, fonts, WRITING_SYSTEMS]);
  return createHash('sha256').update(all).digest('hex');
}

/**
 * Lets the browser that `work` starts write its index of the fonts, although a browser of root runs as another user. No page
 * of others is in it, and the index is root's afterwards, so that no later browser can change what others read.
 *
 * @template T
 * @param {string} dataDir
 * @param {() => Promise<T>} work
 */
async function withOpenCache(dataDir, work) {
  const folder = fontCache(dataDir);
  if (process.getuid?.() !== 0 || statSync(folder, { throwIfNoEntry: false }) === undefined) return work();
  chmodSync(folder, 0o777);
  try {
    return await work();
  } finally {
    chmodSync(folder, 0o755);
    for (const name of readdirSync(folder)) lchownSync(path.join(folder, name), 0, 0);
  }
}

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
