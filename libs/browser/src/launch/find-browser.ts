import { StartupError } from '@app/kernel';
import {
  type BrowserFolders,
  carriedBrowsers,
  type FoundBrowser,
  installedBrowsers,
  isProgram,
} from './browser-candidates.js';

export interface BrowserPlaces extends BrowserFolders {
  /** The path that the operator has set; if so, no other is considered. */
  readonly chosen: string | undefined;
  /** The data folder, in which `npm start` unpacks a browser. */
  readonly dataDir: string;
}

/** There is no browser to run; the message says what to do. */
export class BrowserNotFoundError extends StartupError {
  override readonly name = 'BrowserNotFoundError';
}

/**
 * Finds the browser: the one that the operator has set, or else the system's headless shell or Chromium, one that Puppeteer
 * has downloaded, or the build from npm that `npm start` has unpacked. Only starting it shows whether it works.
 *
 * @throws BrowserNotFoundError
 */
export function findBrowser({ chosen, dataDir, ...folders }: BrowserPlaces): FoundBrowser {
  if (chosen !== undefined) {
    if (isProgram(chosen)) return { file: chosen };
    throw new BrowserNotFoundError(
      `PUPPETEER_EXECUTABLE_PATH is ${chosen}, which is not a program that this user may run.`,
    );
  }
  const found = installedBrowsers(folders).at(0) ?? carriedBrowsers(dataDir).at(0);
  if (found !== undefined) return found;
  throw new BrowserNotFoundError(
    'No Chromium was found. Install one (Debian: apt install chromium-headless-shell; anywhere: ' +
      'npx puppeteer browsers install chrome-headless-shell), or set PUPPETEER_EXECUTABLE_PATH, or use `npm start`, ' +
      'which unpacks one from npm.',
  );
}
