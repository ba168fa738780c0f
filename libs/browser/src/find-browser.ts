import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import { executablePath } from 'puppeteer';
import { StartupError } from '@app/kernel';

/** In order of preference: the headless shell takes half the time and a third of the memory of a full Chromium. */
const SYSTEM_NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'google-chrome-stable',
  'google-chrome',
];
/** On macOS applications are not in PATH. */
const SYSTEM_FILES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

export interface BrowserPlaces {
  /** The path that the operator has set; if so, no other is considered. */
  readonly chosen: string | undefined;
  /** The folders in which programs are looked up. */
  readonly searchPath: readonly string[];
  /** The folder in which `npm start` unpacks a browser. */
  readonly dataDir: string;
}

export interface FoundBrowser {
  readonly file: string;
  /** The folder of its libraries, if it was delivered with them. */
  readonly libraryPath?: string;
}

/** There is no browser to run; the message says what to do. */
export class BrowserNotFoundError extends StartupError {
  override readonly name = 'BrowserNotFoundError';
}

/**
 * Finds the browser: the one that the operator has set, or else the system's headless shell or Chromium, Puppeteer's
 * download, or the build from npm that `npm start` has unpacked. Only starting it shows whether it works.
 *
 * @throws BrowserNotFoundError
 */
export async function findBrowser({ chosen, searchPath, dataDir }: BrowserPlaces): Promise<FoundBrowser> {
  if (chosen !== undefined) {
    if (await isProgram(chosen)) return { file: chosen };
    throw new BrowserNotFoundError(
      `PUPPETEER_EXECUTABLE_PATH is ${chosen}, which is not a program that this user may run.`,
    );
  }
  const system = SYSTEM_NAMES.flatMap((name) => searchPath.map((folder) => path.join(folder, name)));
  const candidates: FoundBrowser[] = [
    ...[...system, ...SYSTEM_FILES, ...(await downloads())].map((file) => ({ file })),
    ...(await npmBuilds(path.join(dataDir, 'chromium'))),
  ];
  for (const candidate of candidates) {
    if (await isProgram(candidate.file)) return candidate;
  }
  throw new BrowserNotFoundError(
    'No Chromium was found. Install one (Debian: apt install chromium-headless-shell; anywhere: ' +
      'npx puppeteer browsers install chrome-headless-shell), or set PUPPETEER_EXECUTABLE_PATH, or use `npm start`, ' +
      'which unpacks one from npm.',
  );
}

/** The path of Puppeteer's download, which does not exist for some platforms. */
async function downloads(): Promise<string[]> {
  return executablePath({ headless: 'shell' }).then(
    (file) => [file],
    () => [],
  );
}

/** The builds from npm, newest first, each in a folder named by its version. */
async function npmBuilds(folder: string): Promise<FoundBrowser[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => /^\d+(\.\d+)*$/.test(name))
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    .map((name) => path.resolve(folder, name))
    .map((home) => ({
      file: path.join(home, 'chromium'),
      libraryPath: path.join(home, 'al2023', 'lib'),
    }));
}

async function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
