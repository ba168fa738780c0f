import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
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

/** No browser to run; the message says what to do. */
export class BrowserNotFoundError extends Error {
  override readonly name = 'BrowserNotFoundError';
}

/**
 * Finds the browser: the chosen one, else the system's headless shell or Chromium, else Puppeteer's own download, else
 * the build carried by npm as `npm start` unpacked it. That it can run is not checked: starting it is the check.
 *
 * @throws BrowserNotFoundError
 */
export async function findBrowser({ chosen, searchPath, dataDir }: BrowserPlaces): Promise<string> {
  if (chosen !== undefined) {
    if (await isProgram(chosen)) return chosen;
    throw new BrowserNotFoundError(
      `PUPPETEER_EXECUTABLE_PATH is ${chosen}, which is not a program that this user may run.`,
    );
  }
  const candidates = [
    ...SYSTEM_NAMES.flatMap((name) => searchPath.map((folder) => path.join(folder, name))),
    ...SYSTEM_FILES,
    await downloadOfPuppeteer(),
    carriedBrowser(dataDir),
  ];
  for (const candidate of candidates) {
    if (candidate !== undefined && (await isProgram(candidate))) return candidate;
  }
  throw new BrowserNotFoundError(
    'No Chromium was found. Install one (Debian: apt install chromium-headless-shell; anywhere: ' +
      'npx puppeteer browsers install chrome-headless-shell), or set PUPPETEER_EXECUTABLE_PATH, or use `npm start`, ' +
      'which unpacks the one that comes with npm.',
  );
}

/** Where `npm start` unpacks the build carried by npm. */
export function carriedBrowser(dataDir: string): string {
  return path.resolve(dataDir, 'chromium', 'chromium');
}

/** Where Puppeteer's download is or would be; undefined where it has none for this machine. */
async function downloadOfPuppeteer(): Promise<string | undefined> {
  return executablePath({ headless: 'shell' }).catch(() => undefined);
}

async function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
