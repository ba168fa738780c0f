import type { Env } from '@app/config';
import { BrowserLauncher } from './browser-launcher.js';
import { BrowserStartError, type BrowserProcess } from './browser-process.js';

/** On a machine that builds at the same moment a sound browser may miss its first deadlines. */
const MAX_PROOFS = 3;

/**
 * Starts the browser of the environment once, as the worker would, lets a page of it draw, and ends it. That takes its
 * libraries, its renderer and, with CHROMIUM_SANDBOX=on, the sandbox of that renderer.
 *
 * @throws BrowserNotFoundError
 * @throws BrowserStartError with what the browser printed
 */
export async function tryBrowser(env: Env): Promise<void> {
  const launcher = await BrowserLauncher.open(env);
  try {
    const browser = await launcher.launch();
    try {
      await prove(browser);
    } finally {
      await browser.kill();
    }
  } finally {
    await launcher.close();
  }
}

async function prove(browser: BrowserProcess): Promise<void> {
  for (let proofs = 1; ; proofs += 1) {
    try {
      return await browser.probe();
    } catch (cause) {
      if (proofs === MAX_PROOFS || browser.gone.aborted)
        throw new BrowserStartError('The browser starts, and its pages draw nothing.', { cause });
    }
  }
}
