import path from 'node:path';
import { type Env, searchPath } from '@app/config';
import { type BrowserCommand, BrowserProcess, BrowserStartError } from './browser-process.js';
import { findBrowser, type FoundBrowser } from './find-browser.js';
import { launchArgs } from './launch-args.js';
import { sandboxable, SandboxUnavailableError } from './sandbox.js';
import { TookTooLongError } from './within.js';
import { type BrowserFolder, WorkerFolder } from './worker-folder.js';

/** Starts browsers as the environment asks: which program, with which flags, in a folder of its own. */
export class BrowserLauncher {
  private constructor(
    private readonly env: Env,
    private readonly browser: FoundBrowser,
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
    // Without its sandbox it dies at once: one that was only slow must not talk anybody into switching it off.
    const diedAtOnce = failure instanceof BrowserStartError && !(failure.cause instanceof TookTooLongError);
    if (!this.sandbox || !diedAtOnce) return failure;
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
      browser.gone.addEventListener('abort', () => void folder.remove());
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
    const { file, args } = sandboxable(this.browser.file, sandbox);
    const libraryPath = this.env.BROWSER_LIBRARY_PATH ?? this.browser.libraryPath;
    const fontconfig = this.env.BROWSER_FONTCONFIG_FILE;
    return {
      file,
      args: [...args, ...(await launchArgs({ profile, sandbox }))],
      // All of it: what is not listed, such as the worker's database password, does not reach the browser.
      env: {
        PATH: searchPath().join(path.delimiter),
        HOME: home,
        TMPDIR: temporary,
        // Language and time zone of a page that asks for none must not depend on the machine.
        LANG: 'en_US.UTF-8',
        TZ: 'UTC',
        ...(libraryPath !== undefined && { LD_LIBRARY_PATH: libraryPath }),
        ...(fontconfig !== undefined && { FONTCONFIG_FILE: fontconfig }),
      },
    };
  }
}
