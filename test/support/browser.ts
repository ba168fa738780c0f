import type { CDPSession, Page } from 'puppeteer';
import { BrowserPoolService } from '@app/browser';
import { Env } from '@app/config';
import type { Resolver } from '@app/outbound';
import { loopbackEgress } from './loopback-egress.js';

type Script<Args extends unknown[], Result> = string | ((...args: Args) => Result | Promise<Result>);

/** Settings of one browser that takes as much of the cores as the other specs, which share them. */
export function browserEnv(settings: Partial<Env> = {}): Env {
  return Object.assign(new Env(), { WORKER_SLOTS: 1, BROWSER_NICENESS: 0 }, settings);
}

/** A pool of one browser for a spec file, which starts and closes it. */
export function onePagePool(settings: Partial<Env> = {}, resolver?: Resolver): BrowserPoolService {
  return new BrowserPoolService(browserEnv(settings), loopbackEgress(undefined, resolver));
}

/** The pool, whose pages have network when they are leased, and not only when a capture navigates them. */
export function withNetwork(pool: BrowserPoolService): BrowserPoolService {
  const lease: BrowserPoolService['withPage'] = pool.withPage.bind(pool);
  return Object.assign(pool, {
    withPage: ((signal, use, share) =>
      lease(
        signal,
        async (page) => {
          await page.proxyAuthentication.authenticate();
          return use(page);
        },
        share,
      )) satisfies BrowserPoolService['withPage'],
  });
}

const sessions = new WeakMap<Page, Promise<CDPSession>>();

/**
 * Runs a function or an expression in the main world of the page, as `page.evaluate` does, which hangs: it waits for
 * events of the Runtime domain, and our browsers do not enable that.
 */
export async function evaluate<Args extends unknown[], Result>(
  page: Page,
  script: Script<Args, Result>,
  ...args: Args
): Promise<Result> {
  const session = sessions.get(page) ?? page.createCDPSession();
  sessions.set(page, session);
  const { result, exceptionDetails } = await (
    await session
  ).send('Runtime.evaluate', {
    expression:
      typeof script === 'string'
        ? script
        : `(${String(script)})(${args.map((arg) => JSON.stringify(arg)).join()})`,
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as Result;
}

/** Applies the function to the first element that matches the selector, as `page.$eval` does. */
export function evaluateOn<Arg, Result>(
  page: Page,
  selector: string,
  look: (element: HTMLElement, arg: Arg) => Result,
  arg?: Arg,
): Promise<Result> {
  const expression = `(${String(look)})(document.querySelector(${JSON.stringify(selector)}), ${JSON.stringify(arg)})`;
  return evaluate<[], Result>(page, expression);
}

export function documentTitle(page: Page): Promise<string> {
  return evaluate(page, () => document.title);
}
