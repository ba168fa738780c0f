import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasApt, unpackPackages } from './apt.mjs';
import { writeWhole } from './data-folder.mjs';
import { say } from './output.mjs';
import { run, systemTool } from './processes.mjs';

const SYSTEM_CONF = '/etc/fonts/fonts.conf';
const USER_FONTS = path.join(os.homedir(), '.local/share/fonts');
const FONT_FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts', USER_FONTS];
const RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * The scripts that a page may be written in: how fontconfig is asked for a font of each, the names of its font files where
 * there is no fontconfig, and the Debian package that brings it.
 *
 * @typedef {typeof SCRIPTS[number]} Script
 */
const SCRIPTS = [
  {
    name: 'Latin',
    patterns: ['Liberation Sans', 'Arial'],
    files: /liberation|arial/i,
    package: 'fonts-liberation',
  },
  {
    name: 'Chinese and Japanese',
    patterns: [':charset=4e2d'],
    files: /cjk|wqy|fallback|source.?han|uming|ukai|ipa/i,
    package: 'fonts-wqy-zenhei',
  },
  {
    name: 'Korean',
    patterns: [':charset=ac00'],
    files: /cjk|wqy|fallback|source.?han|nanum|unfonts/i,
    package: 'fonts-wqy-zenhei',
  },
  {
    name: 'Arabic and Hebrew',
    patterns: [':charset=627 5d0'],
    files: /dejavu|arabic|freesans/i,
    package: 'fonts-dejavu-core',
  },
  {
    name: 'Devanagari',
    patterns: [':charset=915'],
    files: /devanagari|lohit|freesans/i,
    package: 'fonts-lohit-deva',
  },
  {
    name: 'Thai',
    patterns: [':charset=e01'],
    files: /thai|loma|garuda|freeserif/i,
    package: 'fonts-tlwg-loma-ttf',
  },
  {
    name: 'emoji',
    patterns: [':charset=1f600:color=true'],
    files: /emoji/i,
    package: 'fonts-noto-color-emoji',
  },
];

/** Fonts that replace those that pages ask for and Linux lacks; with the same widths, so that lines break at the same words. */
const REPLACEMENTS = {
  Arial: 'Liberation Sans',
  Helvetica: 'Liberation Sans',
  'Times New Roman': 'Liberation Serif',
  Times: 'Liberation Serif',
  'Courier New': 'Liberation Mono',
  Courier: 'Liberation Mono',
};

const GENERIC = {
  'sans-serif': ['Liberation Sans', 'DejaVu Sans'],
  serif: ['Liberation Serif', 'DejaVu Serif'],
  monospace: ['Liberation Mono', 'DejaVu Sans Mono'],
  'system-ui': ['Liberation Sans', 'DejaVu Sans'],
  emoji: ['Noto Color Emoji'],
};

/**
 * Provides fonts for the scripts above: what the system lacks is fetched once from its distribution into the data folder,
 * without root. It never rejects: a capture without the glyphs of some script is better than none, and what will be
 * missing is printed.
 *
 * @param {{ dataDir: string, env?: Record<string, string | undefined> }} options
 * @returns the variable of the browser's font settings, where they are not those of the system
 */
export async function provideFonts({ dataDir, env = process.env }) {
  if (env.BROWSER_FONTCONFIG_FILE || process.platform !== 'linux') return {};
  const missing = await missingScripts();
  if (missing.length === 0 && existsSync(SYSTEM_CONF)) return {};
  const home = path.join(dataDir, 'tools/fonts');
  const packages = [...new Set(missing.map((script) => script.package))];
  if (!packages.every((name) => isUnpacked(home, name))) await fetchFonts({ home, packages, missing });
  const conf = path.join(home, 'fonts.conf');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  // A browser of root runs as another user, who sees this folder alone of those in the data folder.
  chmodSync(home, 0o755);
  writeWhole(conf, fontsConf({ home, systemConf: SYSTEM_CONF, userFonts: USER_FONTS }), 0o644);
  return { BROWSER_FONTCONFIG_FILE: conf };
}

/**
 * @param {string} home
 * @param {string} name
 */
const isUnpacked = (home, name) => existsSync(path.join(home, 'packages/usr/share/doc', name));

/** @param {{ home: string, packages: string[], missing: Script[] }} options */
async function fetchFonts({ home, packages, missing }) {
  const reason = await tryFetch({ home, packages });
  if (reason === undefined) return;
  say(
    `fonts: no glyphs for ${missing.map(({ name }) => name).join(', ')} on this machine; captures show boxes there.`,
  );
  say(`fonts: they could not be fetched (${reason}). Install them: apt install ${packages.join(' ')}`);
}

/**
 * Fetches packages once a day at most: offline, apt takes long to give up. Resolves to the reason when it fails.
 *
 * @param {{ home: string, packages: string[] }} options
 */
async function tryFetch({ home, packages }) {
  const failed = path.join(home, 'failed');
  const ageMs = Date.now() - (statSync(failed, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (!hasApt()) return 'this is no Debian or Ubuntu';
  if (ageMs < RETRY_AFTER_MS)
    return `tried ${Math.round(ageMs / 60_000)} min ago; delete ${failed} to try again`;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  try {
    say(`fonts: fetching ${packages.join(', ')}`);
    await unpackPackages({ packages, into: path.join(home, 'packages') });
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    writeFileSync(failed, reason);
    return reason;
  }
}

async function missingScripts() {
  const fcList = systemTool('fc-list');
  const present = await Promise.all(
    SCRIPTS.map((script) => (fcList ? hasFont(fcList, script) : hasFontFile(script))),
  );
  return SCRIPTS.filter((_, index) => !present[index]);
}

/**
 * @param {string} fcList
 * @param {Script} script
 */
async function hasFont(fcList, { patterns }) {
  const answers = await Promise.all(
    patterns.map((pattern) => run({ command: fcList, args: [pattern, 'family'] })),
  );
  return answers.some(({ stdout }) => stdout.trim() !== '');
}

/** @type {string[] | undefined} */
let fontFiles;

/** @param {Script} script */
function hasFontFile({ files }) {
  fontFiles ??= FONT_FOLDERS.filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    .filter((file) => /\.(ttf|otf|ttc|pfb)$/i.test(file));
  return fontFiles.some((file) => files.test(path.basename(file)));
}

/**
 * A fontconfig file: the settings of the system where there are any, and the fonts that were unpacked in `home`.
 *
 * @param {{ home: string, systemConf: string, userFonts: string }} options
 */
export function fontsConf({ home, systemConf, userFonts }) {
  const unpacked = path.join(home, 'packages/usr/share/fonts');
  const folders = ['/usr/share/fonts', '/usr/local/share/fonts', userFonts, unpacked];
  const replacements = Object.entries(REPLACEMENTS).map(([family, replacement]) =>
    alias({ family, kind: 'accept', families: [replacement], binding: ' binding="same"' }),
  );
  const generic = Object.entries(GENERIC).map(([family, families]) =>
    alias({ family, kind: 'prefer', families }),
  );
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">${escape(systemConf)}</include>
${folders.map((folder) => `  <dir>${escape(folder)}</dir>`).join('\n')}
  <cachedir>${escape(path.join(home, 'cache'))}</cachedir>
${[...replacements, ...generic].join('\n')}
</fontconfig>
`;
}

/** @param {{ family: string, kind: 'accept' | 'prefer', families: string[], binding?: string }} options */
function alias({ family, kind, families, binding = '' }) {
  const list = families.map((name) => `<family>${escape(name)}</family>`).join('');
  return `  <alias${binding}><family>${escape(family)}</family><${kind}>${list}</${kind}></alias>`;
}

/** @param {string} text */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
