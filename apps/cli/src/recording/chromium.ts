import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { CliError } from '../context/cli-error.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** Browsers with windows; a headless shell has none. */
const PROGRAMS = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge',
];
/** Applications are not in PATH there. */
const FILES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
};
const OTHERWISE =
  "Otherwise export a recording from the Recorder of Chrome's DevTools on another machine, and give it with --login.";

/**
 * The Chromium of this machine whose window a person can use: that of CAPTURE_CHROMIUM, else the first in PATH.
 *
 * @throws CliError without one, or without a display
 */
export function chromiumOf(env: Variables, platform: NodeJS.Platform = process.platform): string {
  const { CAPTURE_CHROMIUM: named, PATH = '', DISPLAY, WAYLAND_DISPLAY } = env;
  if (platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) {
    throw new CliError(
      `--record opens a window, and there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): run it on a desktop. ${OTHERWISE}`,
    );
  }
  if (named) {
    // Another one in its place would hide a mistake.
    if (isProgram(named)) return named;
    throw new CliError(`CAPTURE_CHROMIUM names ${named}, which is no program.`);
  }
  const folders = PATH.split(path.delimiter).filter(Boolean);
  const files = PROGRAMS.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  const found = [...files, ...(FILES[platform] ?? [])].find(isProgram);
  if (found !== undefined) return found;
  throw new CliError(
    `--record needs a Chromium or Chrome on this machine: install one, or name it in CAPTURE_CHROMIUM. ${OTHERWISE}`,
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
