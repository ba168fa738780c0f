import { accessSync, constants, readdirSync } from 'node:fs';
import path from 'node:path';

// The launcher runs this file before anything is built, so it must not import other files of the project.

/** In order of preference: the headless shell takes half the time and a third of the memory of a full Chromium. */
const SYSTEM_NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
];
/** On macOS applications are not in PATH. */
const SYSTEM_FILES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];
const DOWNLOADS = ['chrome-headless-shell', 'chrome'];

export interface BrowserFolders {
  /** The folders in which programs are looked up. */
  readonly searchPath: readonly string[];
  /** The folder of Puppeteer's downloads. */
  readonly cacheDir: string;
}

export interface FoundBrowser {
  readonly file: string;
  /** The folder of its libraries, if it was delivered with them. */
  readonly libraryPath?: string;
}

/** The browsers of the machine, in order of preference: those of the system, then Puppeteer's downloads. */
export function installedBrowsers({ searchPath, cacheDir }: BrowserFolders): FoundBrowser[] {
  const system = SYSTEM_NAMES.flatMap(
    (name) => searchPath.map((folder) => path.join(folder, name)).find(isProgram) ?? [],
  );
  const files = [...system, ...[...SYSTEM_FILES, ...downloads(cacheDir)].filter(isProgram)];
  return files.map((file) => ({ file }));
}

/** The builds from npm that `npm start` has unpacked, newest first, each in a folder named by its version. */
export function carriedBrowsers(dataDir: string): FoundBrowser[] {
  const folder = path.resolve(dataDir, 'chromium');
  return newestFirst(list(folder).filter((name) => /^\d+(\.\d+)*$/.test(name)))
    .map((version) => carriedBrowser(path.join(folder, version)))
    .filter(({ file }) => isProgram(file));
}

/** The build from npm that is unpacked in this folder. */
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

/** Puppeteer's downloads are `<browser>/<platform>-<version>/<browser>-<platform>/<browser>`. */
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
