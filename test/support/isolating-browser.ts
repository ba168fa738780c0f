import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Env } from '@app/config';
import { wrapperFolderOf } from './browser-folders.js';

/**
 * A program that starts the browser of this machine with a process for each site, as full Chrome does by itself: frames of
 * other sites run in processes of their own, which the headless shell does only on demand.
 */
export class IsolatingBrowser {
  private script?: string;

  /** The settings of a pool that uses it. */
  async open(): Promise<Partial<Env>> {
    // The services of the tests have found it.
    const { PUPPETEER_EXECUTABLE_PATH: file, BROWSER_LIBRARY_PATH: libraryPath } = process.env;
    if (file === undefined) throw new Error('PUPPETEER_EXECUTABLE_PATH is not set.');
    this.script = path.join(wrapperFolderOf(file), `isolating-browser-${randomUUID()}.sh`);
    await writeFile(this.script, `#!/bin/sh\nexec '${file}' --site-per-process "$@"\n`, { mode: 0o755 });
    return {
      PUPPETEER_EXECUTABLE_PATH: this.script,
      ...(libraryPath !== undefined && { BROWSER_LIBRARY_PATH: libraryPath }),
    };
  }

  async close(): Promise<void> {
    if (this.script !== undefined) await rm(this.script);
  }
}
