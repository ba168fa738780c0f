import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasApt, unpackPackages } from './apt.mjs';
import { writeWhole } from './files.mjs';
import { fontsConf } from './fonts-conf.mjs';
import { say } from './output.mjs';
import { systemTool } from './paths.mjs';
import { run } from './processes.mjs';

const SYSTEM_CONF = '/etc/fonts/fonts.conf';
const RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * What a page may be written in: how fontconfig is asked for it, what its font files are called where there is no
 * fontconfig to ask, and the Debian package that brings it.
 */
const SCRIPTS = [
  {
    name: 'Latin',
    ask: ['Liberation Sans', 'Arial'],
    files: /liberation|arial/i,
    package: 'fonts-liberation',
  },
  {
    name: 'Chinese and Japanese',
    ask: [':charset=4e2d'],
    files: /cjk|wqy|fallback|source.?han|uming|ukai|ipa/i,
    package: 'fonts-wqy-zenhei',
  },
  {
    name: 'Korean',
    ask: [':charset=ac00'],
    files: /cjk|wqy|fallback|source.?han|nanum|unfonts/i,
    package: 'fonts-wqy-zenhei',
  },
  {
    name: 'Arabic and Hebrew',
    ask: [':charset=627 5d0'],
    files: /dejavu|arabic|freesans/i,
    package: 'fonts-dejavu-core',
  },
  {
    name: 'Devanagari',
    ask: [':charset=915'],
    files: /devanagari|lohit|freesans/i,
    package: 'fonts-lohit-deva',
  },
  {
    name: 'Thai',
    ask: [':charset=e01'],
    files: /thai|loma|garuda|freeserif/i,
    package: 'fonts-tlwg-loma-ttf',
  },
  { name: 'emoji', ask: [':charset=1f600:color=true'], files: /emoji/i, package: 'fonts-noto-color-emoji' },
];

/**
 * Sees to fonts for the scripts above: what the system lacks is fetched once from its distribution into the data folder,
 * without root. Returns the variable that names the browser's font settings, where it needs other than the system's.
 * Never rejects: a capture without some script's glyphs is better than none, and what will be missing is said.
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
  // A browser of root's is another user, who is shown this folder alone of those in the data folder.
  chmodSync(home, 0o755);
  writeWhole(
    conf,
    fontsConf({ home, systemConf: SYSTEM_CONF, userFonts: path.join(os.homedir(), '.local/share/fonts') }),
    0o644,
  );
  return { BROWSER_FONTCONFIG_FILE: conf };
}

const isUnpacked = (home, name) => existsSync(path.join(home, 'packages/usr/share/doc', name));

async function fetchFonts({ home, packages, missing }) {
  const reason = await tryFetch({ home, packages });
  if (reason === undefined) return;
  say(
    `fonts: no glyphs for ${missing.map(({ name }) => name).join(', ')} on this machine; captures show boxes there.`,
  );
  say(`fonts: they could not be fetched (${reason}). Install them: apt install ${packages.join(' ')}`);
}

// Offline, apt takes its time to give up: once a day is enough.
async function tryFetch({ home, packages }) {
  const failed = path.join(home, 'failed');
  const age = Date.now() - (statSync(failed, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (!hasApt()) return 'this is no Debian or Ubuntu';
  if (age < RETRY_AFTER_MS) return `tried ${Math.round(age / 60_000)} min ago; delete ${failed} to try again`;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  try {
    say(`fonts: fetching ${packages.join(', ')}`);
    await unpackPackages({ packages, into: path.join(home, 'packages') });
    return undefined;
  } catch (error) {
    writeFileSync(failed, error.message);
    return error.message;
  }
}

async function missingScripts() {
  const fcList = systemTool('fc-list');
  const has = fcList ? (script) => knows(fcList, script) : hasFiles;
  const present = await Promise.all(SCRIPTS.map(has));
  return SCRIPTS.filter((_, index) => !present[index]);
}

async function knows(fcList, { ask }) {
  const answers = await Promise.all(
    ask.map((pattern) => run({ command: fcList, args: [pattern, 'family'] })),
  );
  return answers.some(({ stdout }) => stdout.trim() !== '');
}

let installed;

function hasFiles({ files }) {
  const folders = [
    '/usr/share/fonts',
    '/usr/local/share/fonts',
    path.join(os.homedir(), '.local/share/fonts'),
  ];
  installed ??= folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }))
    .filter((file) => /\.(ttf|otf|ttc|pfb)$/i.test(file));
  return installed.some((file) => files.test(path.basename(file)));
}
