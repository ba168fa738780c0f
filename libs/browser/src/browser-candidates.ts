import { accessSync, constants, readdirSync } from 'node:fs';
import path from 'node:path';

// The launcher runs this file as it is, before anything is built: it must not import other files of ours.

/** By preference: the headless shell takes half the time and a third of the memory of a full Chromium. */
const SYSTEM_NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
];
/** macOS keeps programs out of PATH. */
const SYSTEM_FILES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];
const DOWNLOADS = ['chrome-headless-shell', 'chrome'];

export interface BrowserFolders {
  /** Folders in which programs are looked up. */
  readonly searchPath: readonly string[];
  /** Puppeteer's folder of downloaded browsers. */
  readonly cacheDir: string;
}

export interface FoundBrowser {
  readonly file: string;
  /** Where its libraries are, when they came with it. */
  readonly libraryPath?: string;
}

/** The browsers of the machine, best first: those of the system, then those that Puppeteer has downloaded. */
export function installedBrowsers({ searchPath, cacheDir }: BrowserFolders): FoundBrowser[] {
  const system = SYSTEM_NAMES.flatMap(
    (name) => searchPath.map((folder) => path.join(folder, name)).find(isProgram) ?? [],
  );
  const files = [...system, ...[...SYSTEM_FILES, ...downloads(cacheDir)].filter(isProgram)];
  return files.map((file) => ({ file }));
}

/** The builds that npm carries, as `npm start` unpacks them: newest first, each in a folder named by its version. */
export function carriedBrowsers(dataDir: string): FoundBrowser[] {
  const folder = path.resolve(dataDir, 'chromium');
  return newestFirst(list(folder).filter((name) => /^\d+(\.\d+)*$/.test(name)))
    .map((version) => carriedBrowser(path.join(folder, version)))
    .filter(({ file }) => isProgram(file));
}

/** A build that npm carries, unpacked in this folder. */
export function carriedBrowser(folder: string): Required<FoundBrowser> {
  return { file: path.join(folder, 'chromium'), libraryPath: path.join(folder, 'al2023', 'lib') };
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Puppeteer keeps them as `<browser>/<platform>-<version>/<browser>-<platform>/<browser>`. */
function downloads(cacheDir: string): string[] {
  return DOWNLOADS.flatMap((browser) =>
    newestFirst(list(path.join(cacheDir, browser))).flatMap((version) =>
      list(path.join(cacheDir, browser, version)).map((system) =>
        path.join(cacheDir, browser, version, system, browser),
      ),
    ),
  );
}

const newestFirst = (versions: readonly string[]): string[] =>
  versions.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }));

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
