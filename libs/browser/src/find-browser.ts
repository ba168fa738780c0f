import { StartupError } from '@app/kernel';
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import { executablePath } from 'puppeteer';

/** By preference: the headless shell takes half the time and a third of the memory of a full Chromium. */
const SYSTEM_NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'google-chrome-stable',
  'google-chrome',
];
/** macOS keeps programs out of PATH. */
const SYSTEM_FILES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

export interface BrowserPlaces {
  /** Path that the operator set; nothing else is looked at then. */
  readonly chosen: string | undefined;
  /** Folders in which programs are looked up. */
  readonly searchPath: readonly string[];
  /** Where `npm start` keeps what it unpacks. */
  readonly dataDir: string;
}

export interface FoundBrowser {
  readonly file: string;
  /** Where its libraries are, when they came with it. */
  readonly libraryPath?: string;
}

/** No browser to run; the message says what to do. */
export class BrowserNotFoundError extends StartupError {
  override readonly name = 'BrowserNotFoundError';
}

/**
 * Finds the browser: the chosen one, else the system's headless shell or Chromium, else Puppeteer's own download, else
 * the build carried by npm if `npm start` has unpacked it. That it can run is not checked: starting it is the check.
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
    ...(await carried(path.join(dataDir, 'chromium'))),
  ];
  for (const candidate of candidates) {
    if (await isProgram(candidate.file)) return candidate;
  }
  throw new BrowserNotFoundError(
    'No Chromium was found. Install one (Debian: apt install chromium-headless-shell; anywhere: ' +
      'npx puppeteer browsers install chrome-headless-shell), or set PUPPETEER_EXECUTABLE_PATH, or use `npm start`, ' +
      'which unpacks the one that comes with npm.',
  );
}

/** Where Puppeteer's download is or would be; it has none for some machines. */
async function downloads(): Promise<string[]> {
  return executablePath({ headless: 'shell' }).then(
    (file) => [file],
    () => [],
  );
}

/** The builds carried by npm, newest first, each in a folder named by its version. */
async function carried(folder: string): Promise<FoundBrowser[]> {
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
