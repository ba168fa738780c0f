import type { Env } from '@app/config';
import { BrowserLauncher } from './browser-launcher.js';
import type { BrowserProcess } from './browser-process.js';
import { BrowserStartError } from './started-process.js';

/** On a busy machine a healthy browser may exceed its first timeouts. */
const MAX_PROBES = 3;

/**
 * Starts the browser of the environment like the worker, checks that it draws, and kills it. This requires its libraries, its
 * renderer and, with CHROMIUM_SANDBOX=on, its sandbox.
 *
 * @throws BrowserNotFoundError
 * @throws BrowserStartError with the output of the browser
 */
export function tryBrowser(env: Env): Promise<void> {
  return withBrowser(env, probe);
}

/**
 * Starts the browser of the environment like the worker, passes it to `use`, and kills it.
 *
 * @throws BrowserNotFoundError
 * @throws BrowserStartError with the output of the browser
 */
export async function withBrowser<Result>(
  env: Env,
  use: (browser: BrowserProcess) => Promise<Result>,
): Promise<Result> {
  const launcher = await BrowserLauncher.open(env);
  try {
    const browser = await launcher.launch();
    try {
      return await use(browser);
    } finally {
      await browser.kill();
    }
  } finally {
    await launcher.close();
  }
}

async function probe(browser: BrowserProcess): Promise<void> {
  for (let probes = 1; ; probes += 1) {
    try {
      return await browser.drawBlankPage();
    } catch (cause) {
      if (probes === MAX_PROBES || browser.gone.aborted)
        throw new BrowserStartError('The browser starts, but does not draw.', { cause });
    }
  }
}
