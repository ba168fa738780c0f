import type { CDPSession, Frame, Page, Protocol } from 'puppeteer';
import type { BrowserState, OriginState, SessionUse, StorageFill } from '../pipeline/browser-state.js';
import { toSource, type InPage } from '../pipeline/in-page.js';
import { DocumentFill } from './document-fill.js';
import { fillStorage, readStorage, STORAGE_SCRIPTS } from './page-storage.js';
import { isCookieOf, toCookieParam, toStateCookie } from './state-cookies.js';
import { notMoved } from './state-problem.js';

/** The part of a leased page that a state is moved through. */
export interface StatePage {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly proxyAuthentication: { authenticate(): Promise<void> };
}

/** Answers the navigation to an origin in place of its server: nothing is requested from it. */
const STUB = { headers: [{ name: 'content-type', value: 'text/html' }], body: btoa('<!doctype html>') };

const EMPTY = 'about:blank';

/**
 * Fills the fresh context of a page with a state, before anything is navigated. The storage of `own`, the origin that the page is
 * navigated to, is filled in its own first document; it is undefined where that runs no scripts. That of other origins is filled in empty
 * documents. These stubs need no network, so that the page authenticates at its proxy with its own document.
 */
export async function fillState(
  target: StatePage,
  { cookies, origins }: BrowserState,
  own?: string,
): Promise<StorageFill | undefined> {
  const { cdp } = target;
  // The browser processes the messages of a session in order, so that nothing need wait for the cookies.
  const params = cookies.map(toCookieParam);
  const setting = params.length > 0 && cdp.send('Network.setCookies', { cookies: params });
  const stored = origins.filter(hasStorage);
  const others = stored.filter(({ origin }) => origin !== own);
  await Promise.all([setting, others.length > 0 && fillOrigins(target, others)]);
  const [first] = stored.filter(({ origin }) => origin === own);
  return first && new DocumentFill(target, first);
}

/** The part of a state that belongs to a page, and not to its context. */
export function pageStateOf({ origins }: BrowserState): BrowserState {
  const stored = origins.map(({ origin, sessionStorage }) => ({ origin, localStorage: [], sessionStorage }));
  return { cookies: [], origins: stored };
}

async function fillOrigins({ page, cdp }: StatePage, origins: readonly OriginState[]): Promise<void> {
  await withStubs(cdp, async (open) => {
    for (const origin of origins) {
      await open(origin.origin);
      await runInStub(cdp, fillStorage, origin);
    }
  });
  await leaveStub(page, cdp);
  // As for each fresh page: otherwise scripts of the capture may not run at the start of a document without scripts.
  await cdp.send('Runtime.evaluate', { expression: '0' });
  // Sent before the document has answered, it may meet the stub that is being left.
  await cdp.send('Page.resetNavigationHistory');
}

/**
 * Replaces the stub by an empty document, so that going back from the page does not open its address. The stub does that itself: a
 * navigation by the browser would end its process, and the page would get a further one.
 */
async function leaveStub(page: Page, cdp: CDPSession): Promise<void> {
  const left = Promise.withResolvers<void>();
  const onNavigated = (frame: Frame): void => {
    if (frame === page.mainFrame() && frame.url() === EMPTY) left.resolve();
  };
  page.on('framenavigated', onNavigated);
  try {
    await cdp.send('Runtime.evaluate', { expression: `location.replace('${EMPTY}')` });
    await left.promise;
  } finally {
    page.off('framenavigated', onNavigated);
  }
}

function hasStorage({
  localStorage: local,
  sessionStorage: session,
  indexedDB: databases,
}: OriginState): boolean {
  return local.length + (session?.length ?? 0) + (databases?.length ?? 0) > 0;
}

/**
 * Reads the state of a context, as far as it belongs to the origins of the session. The page is left at a stub. What `fill` has not been
 * able to fill, because the page had no document of that origin, is filled now.
 */
export async function readState(
  { page, cdp, proxyAuthentication }: StatePage,
  { origins }: Pick<SessionUse, 'origins'>,
  fill?: StorageFill,
): Promise<BrowserState> {
  const { cookies } = await cdp.send('Network.getAllCookies');
  const rest = await fill?.takeRest();
  const stored: OriginState[] = [];
  await proxyAuthentication.authenticate();
  // Options may pause requests in the other session.
  const own = await page.createCDPSession();
  try {
    // A service worker of the page would answer instead of the stub.
    await own.send('Network.enable');
    await own.send('Network.setBypassServiceWorker', { bypass: true });
    await withStubs(own, async (open) => {
      for (const origin of origins) {
        await open(origin);
        // IndexedDB tells scripts nothing in a page that runs none.
        await page.setJavaScriptEnabled(true);
        if (rest?.origin === origin) await runInStub(own, fillStorage, rest);
        stored.push({ origin, ...(await runInStub(own, readStorage, null)) });
      }
    });
  } finally {
    await own.detach().catch(() => undefined);
  }
  return {
    cookies: cookies.map(toStateCookie).filter((cookie) => isCookieOf(origins, cookie)),
    origins: stored.filter(hasStorage),
  };
}

/** Runs `work`, which opens empty documents of origins. No other request of the page is answered meanwhile. */
async function withStubs(
  cdp: CDPSession,
  work: (open: (origin: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const answer = ({ requestId, resourceType }: Protocol.Fetch.RequestPausedEvent): void => {
    const { headers: responseHeaders, body } = STUB;
    const answered =
      resourceType === 'Document'
        ? cdp.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body })
        : cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    // A page that is gone needs no answer; its failure is reported elsewhere.
    answered.catch(() => undefined);
  };
  cdp.on('Fetch.requestPaused', answer);
  const paused = cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  try {
    // The browser pauses requests before it processes the navigation, which it answers once the document is there.
    await Promise.all([paused, work((origin) => openStub(cdp, origin))]);
  } finally {
    cdp.off('Fetch.requestPaused', answer);
    await cdp.send('Fetch.disable').catch(() => undefined);
  }
}

async function openStub(cdp: CDPSession, origin: string): Promise<void> {
  const { errorText } = await cdp.send('Page.navigate', { url: `${origin}/` });
  if (errorText !== undefined) throw notMoved();
}

/** Runs a script of page-storage.ts in the document, which has no script of its own. */
async function runInStub<Argument, Result>(
  cdp: CDPSession,
  run: InPage<Argument, Result>,
  argument: Argument,
): Promise<Result> {
  const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
    expression: `(${toSource({ run, uses: STORAGE_SCRIPTS })})(${JSON.stringify(argument)})`,
    awaitPromise: true,
    returnByValue: true,
  });
  // The message may quote what is stored.
  if (exceptionDetails) throw notMoved();
  return result.value as Result;
}
