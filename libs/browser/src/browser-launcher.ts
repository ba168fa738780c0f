import path from 'node:path';
import { browserCacheDir, type Env, searchPath } from '@app/config';
import { TimeoutError } from '@app/kernel';
import { type BrowserCommand, BrowserProcess, BrowserStartError } from './browser-process.js';
import type { FoundBrowser } from './browser-candidates.js';
import { BrowserUser, mayChangeUser } from './browser-user.js';
import { findBrowser } from './find-browser.js';
import { launchArgs } from './launch-args.js';
import { SandboxUnavailableError } from './sandbox.js';
import { type BrowserFolder, WorkerFolder } from './worker-folder.js';

/** Starts browsers as the environment asks: which program, with which flags, in a folder of its own. */
export class BrowserLauncher {
  private constructor(
    private readonly env: Env,
    private readonly browser: FoundBrowser,
    private readonly folder: WorkerFolder,
    private readonly user: BrowserUser,
  ) {}

  /** @throws BrowserNotFoundError */
  static async open(env: Env): Promise<BrowserLauncher> {
    const browser = findBrowser({
      chosen: env.PUPPETEER_EXECUTABLE_PATH,
      dataDir: env.DATA_DIR,
      searchPath: searchPath(),
      cacheDir: browserCacheDir(),
    });
    const folder = await WorkerFolder.open({ dataDir: env.DATA_DIR, passable: mayChangeUser() });
    const user = await chooseUser(env, { browser, folder, sandbox: env.CHROMIUM_SANDBOX === 'on' });
    return new BrowserLauncher(env, browser, folder, user);
  }

  get sandbox(): boolean {
    return this.env.CHROMIUM_SANDBOX === 'on';
  }

  /** @throws BrowserStartError */
  launch(): Promise<BrowserProcess> {
    return this.launchWith(this.sandbox, this.user);
  }

  /** The error of a first launch, or the one that names the sandbox when the browser does start without it. */
  async explain(failure: unknown): Promise<unknown> {
    // Without its sandbox it dies at once: one that was only slow must not talk anybody into switching it off.
    const diedAtOnce = failure instanceof BrowserStartError && !(failure.cause instanceof TimeoutError);
    if (!this.sandbox || !diedAtOnce) return failure;
    try {
      const user = await chooseUser(this.env, { browser: this.browser, folder: this.folder, sandbox: false });
      const browser = await this.launchWith(false, user);
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

  private async launchWith(sandbox: boolean, user: BrowserUser): Promise<BrowserProcess> {
    const uid = user.nextUid();
    const folder = await this.folder.openBrowserFolder(uid);
    try {
      const args = await launchArgs({ profile: folder.profile, sandbox });
      const program = user.wrap({ file: path.resolve(this.browser.file), args }, uid);
      const browser = await BrowserProcess.launch({ ...program, env: this.environment(folder) });
      browser.gone.addEventListener('abort', () => void folder.remove());
      return browser;
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  /** All of it: what is not listed, such as the worker's database password, does not reach the browser. */
  private environment({ home, temporary }: BrowserFolder): BrowserCommand['env'] {
    const { libraryPath, fontconfig } = filesOf(this.env, this.browser);
    return {
      PATH: searchPath().join(path.delimiter),
      HOME: home,
      TMPDIR: temporary,
      // Language and time zone of a page that asks for none must not depend on the machine.
      LANG: 'en_US.UTF-8',
      TZ: 'UTC',
      ...(libraryPath !== undefined && { LD_LIBRARY_PATH: libraryPath }),
      ...(fontconfig !== undefined && { FONTCONFIG_FILE: fontconfig }),
    };
  }
}

interface BrowserFiles {
  readonly libraryPath: string | undefined;
  readonly fontconfig: string | undefined;
}

function filesOf(env: Env, browser: FoundBrowser): BrowserFiles {
  const libraryPath = env.BROWSER_LIBRARY_PATH ?? browser.libraryPath;
  return { libraryPath, fontconfig: env.BROWSER_FONTCONFIG_FILE };
}

interface UserChoice {
  readonly browser: FoundBrowser;
  readonly folder: WorkerFolder;
  readonly sandbox: boolean;
}

function chooseUser(env: Env, { browser, folder, sandbox }: UserChoice): Promise<BrowserUser> {
  const { libraryPath, fontconfig } = filesOf(env, browser);
  return BrowserUser.choose({
    program: browser.file,
    files: [...(libraryPath?.split(path.delimiter) ?? []), fontconfig ?? []].flat(),
    dataDir: env.DATA_DIR,
    folder: folder.path,
    sandbox,
  });
}
