import path from 'node:path';
import { browserCacheDir, type Env, searchPath } from '@app/config';
import { StartupError, TimeoutError } from '@app/kernel';
import { BrowserProcess } from './browser-process.js';
import { type BrowserCommand, BrowserStartError } from './started-process.js';
import type { FoundBrowser } from '../launch/browser-candidates.js';
import { BrowserUser, mayChangeUser } from '../launch/browser-user.js';
import { findBrowser } from '../launch/find-browser.js';
import { launchArgs } from '../launch/launch-args.js';
import { type BrowserFolder, WorkerFolder } from '../launch/worker-folder.js';

/** Chromium starts on this system only without its sandbox. */
export class SandboxUnavailableError extends StartupError {
  override readonly name = 'SandboxUnavailableError';

  constructor(cause: unknown) {
    super(
      'Chromium cannot use its sandbox here: this process may not create user namespaces ' +
        '(a container’s seccomp profile, AppArmor or kernel.unprivileged_userns_clone may forbid them, or `setpriv` and ' +
        '`unshare` are missing while the worker runs as root). Allow them, or set CHROMIUM_SANDBOX=off if the worker is ' +
        'isolated in another way.',
      { cause },
    );
  }
}

/** Starts browsers with the program, flags and user of the environment, each in a folder of its own. */
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

  /** Returns the error of a first launch, or one that names the sandbox when the browser starts without it. */
  async explain(failure: unknown): Promise<unknown> {
    // A browser that lacks its sandbox dies at once. A slow start must not suggest switching the sandbox off.
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

  /** Removes the files of all browsers; to be called when they have ended. */
  close(): Promise<void> {
    return this.folder.remove();
  }

  private async launchWith(sandbox: boolean, user: BrowserUser): Promise<BrowserProcess> {
    const uid = user.nextUid();
    const folder = await this.folder.openBrowserFolder(uid);
    try {
      const args = await launchArgs({ profile: folder.profile, sandbox });
      const program = user.wrap({ file: path.resolve(this.browser.file), args }, uid);
      const { BROWSER_NICENESS: niceness } = this.env;
      const browser = await BrowserProcess.launch({ ...program, env: this.environment(folder), niceness });
      browser.gone.addEventListener('abort', () => void folder.remove());
      return browser;
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  /** The whole environment of a browser, without secrets of the worker such as its database password. */
  private environment({ home, temporary }: BrowserFolder): BrowserCommand['env'] {
    const { libraryPath, fontconfig } = filesOf(this.env, this.browser);
    return {
      PATH: searchPath().join(path.delimiter),
      HOME: home,
      TMPDIR: temporary,
      // The default language and time zone of pages must not depend on the machine.
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
