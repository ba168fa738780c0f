import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Env } from '@app/config';

/**
 * A program that starts the browser of this machine with a process for each site, as full Chrome does by itself: frames of
 * other sites run in processes of their own, which the headless shell does only on demand.
 */
export class IsolatingBrowser {
  private folder?: string;

  /** The settings of a pool that uses it. */
  async open(): Promise<Partial<Env>> {
    // The services of the tests have found it.
    const { PUPPETEER_EXECUTABLE_PATH: file, BROWSER_LIBRARY_PATH: libraryPath } = process.env;
    if (file === undefined) throw new Error('PUPPETEER_EXECUTABLE_PATH is not set.');
    this.folder = await mkdtemp(path.join(tmpdir(), 'isolating-browser-'));
    const script = path.join(this.folder, 'browser.sh');
    await writeFile(script, `#!/bin/sh\nexec '${file}' --site-per-process "$@"\n`);
    // The browser may run as another user.
    await Promise.all([chmod(this.folder, 0o755), chmod(script, 0o755)]);
    return {
      PUPPETEER_EXECUTABLE_PATH: script,
      ...(libraryPath !== undefined && { BROWSER_LIBRARY_PATH: libraryPath }),
    };
  }

  async close(): Promise<void> {
    if (this.folder !== undefined) await rm(this.folder, { recursive: true });
  }
}
