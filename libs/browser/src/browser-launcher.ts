import path from 'node:path';
import { type Env, searchPath } from '@app/config';
import { type BrowserCommand, BrowserProcess } from './browser-process.js';
import { findBrowser } from './find-browser.js';
import { launchArgs } from './launch-args.js';
import { sandboxable, SandboxUnavailableError } from './sandbox.js';
import { type BrowserFolder, WorkerFolder } from './worker-folder.js';

/** Starts browsers as the environment asks: which program, with which flags, in a folder of its own. */
export class BrowserLauncher {
  private constructor(
    private readonly env: Env,
    private readonly browser: string,
    private readonly folder: WorkerFolder,
  ) {}

  /** @throws BrowserNotFoundError */
  static async open(env: Env): Promise<BrowserLauncher> {
    const browser = await findBrowser({
      chosen: env.PUPPETEER_EXECUTABLE_PATH,
      dataDir: env.DATA_DIR,
      searchPath: searchPath(),
    });
    return new BrowserLauncher(env, browser, await WorkerFolder.open());
  }

  get sandbox(): boolean {
    return this.env.CHROMIUM_SANDBOX === 'on';
  }

  /** @throws BrowserStartError */
  launch(): Promise<BrowserProcess> {
    return this.launchWith(this.sandbox);
  }

  /** The error of a first launch, or the one that names the sandbox when the browser does start without it. */
  async explain(failure: unknown): Promise<unknown> {
    if (!this.sandbox) return failure;
    try {
      const browser = await this.launchWith(false);
      await browser.kill();
      return new SandboxUnavailableError(failure);
    } catch {
      return failure;
    }
  }

  /** Removes all that the browsers wrote; call it once they have ended. */
  close(): Promise<void> {
    return this.folder.remove();
  }

  private async launchWith(sandbox: boolean): Promise<BrowserProcess> {
    const folder = await this.folder.openBrowserFolder();
    try {
      const browser = await BrowserProcess.launch(await this.command(sandbox, folder));
      void browser.exited.then(() => browser.kill()).then(() => folder.remove());
      return browser;
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  private async command(
    sandbox: boolean,
    { home, profile, temporary }: BrowserFolder,
  ): Promise<BrowserCommand> {
    const { file, args } = sandboxable(this.browser, sandbox);
    const { BROWSER_LIBRARY_PATH, BROWSER_FONTCONFIG_FILE } = this.env;
    return {
      file,
      args: [...args, ...(await launchArgs({ profile, sandbox }))],
      // All of it: what is not listed, such as the worker's database password, does not reach the browser.
      env: {
        PATH: searchPath().join(path.delimiter),
        HOME: home,
        TMPDIR: temporary,
        // Language and time zone of a page that asks for none must not depend on the machine.
        LANG: 'C.UTF-8',
        TZ: 'UTC',
        ...(BROWSER_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH: BROWSER_LIBRARY_PATH }),
        ...(BROWSER_FONTCONFIG_FILE !== undefined && { FONTCONFIG_FILE: BROWSER_FONTCONFIG_FILE }),
      },
    };
  }
}
