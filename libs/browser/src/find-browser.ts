import { StartupError } from '@app/kernel';
import {
  type BrowserFolders,
  carriedBrowsers,
  type FoundBrowser,
  installedBrowsers,
  isProgram,
} from './browser-candidates.js';

export interface BrowserPlaces extends BrowserFolders {
  /** Path that the operator set; no other place is searched then. */
  readonly chosen: string | undefined;
  /** Where `npm start` keeps what it unpacks. */
  readonly dataDir: string;
}

/** There is no browser to run; the message says what to do. */
export class BrowserNotFoundError extends StartupError {
  override readonly name = 'BrowserNotFoundError';
}

/**
 * Finds the browser: the chosen one, else the system's headless shell or Chromium, else one that Puppeteer has downloaded,
 * else the build that npm carries if `npm start` has unpacked it. Whether it works is not checked: starting it shows that.
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
      'which unpacks the one that comes with npm.',
  );
}
