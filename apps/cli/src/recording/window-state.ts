import type { BrowserState } from '@capture-service/client';
import { CliError } from '../context/cli-error.js';
import { EXIT } from '../context/exit-codes.js';
import type { BrowserWindow } from './browser-window.js';
import type { DevtoolsEvent } from './devtools-pipe.js';
import { STORAGE_SCRIPT } from './generated/storage-script.js';

interface Cookie {
  readonly domain: string;
  readonly [field: string]: unknown;
}

/** Fields of a cookie that a state has; the browser tells more of it. */
const COOKIE_FIELDS = [
  ...['name', 'value', 'domain', 'path', 'expires', 'httpOnly', 'secure', 'sameSite', 'partitionKey'],
];
/** Answers a navigation in place of the server of an origin, so that its scripts change nothing any more. */
const STUB = {
  responseCode: 200,
  responseHeaders: [{ name: 'content-type', value: 'text/html' }],
  body: btoa('<!doctype html>'),
};

/** Reads what the browser keeps for the origins. The tab is left at an empty page. */
export async function readWindowState(
  window: BrowserWindow,
  origins: readonly string[],
): Promise<BrowserState> {
  const { devtools, sessionId } = window;
  const send = <Result>(method: string, params: object = {}): Promise<Result> =>
    devtools.send(method, params, sessionId);
  const { cookies } = await send<{ cookies: Cookie[] }>('Network.getAllCookies');
  const handle = devtools.onEvent;
  devtools.onEvent = (event) => {
    handle(event);
    if (event.method === 'Fetch.requestPaused') answer(window, event);
  };
  await send('Network.enable');
  // A service worker of the page would answer instead of the stub.
  await send('Network.setBypassServiceWorker', { bypass: true });
  await send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  const stored: object[] = [];
  for (const origin of origins.map((text) => new URL(text).origin)) {
    await send('Page.navigate', { url: `${origin}/` });
    stored.push({ origin, ...(await storageIn(send)) });
  }
  return { cookies: cookies.filter((cookie) => isOf(origins, cookie)).map(toStateCookie), origins: stored };
}

type Send = <Result>(method: string, params?: object) => Promise<Result>;

async function storageIn(send: Send): Promise<object> {
  const { result, exceptionDetails } = await send<{
    readonly result: { readonly value: object };
    readonly exceptionDetails?: object;
  }>('Runtime.evaluate', { expression: STORAGE_SCRIPT, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) {
    throw new CliError('The storage of the page could not be read.', { exitCode: EXIT.failed });
  }
  return result.value;
}

/** Answers what the tab requests while its storage is read; nothing goes to a server. */
function answer({ devtools, sessionId }: BrowserWindow, { params }: DevtoolsEvent): void {
  const { requestId, resourceType } = params;
  const answered =
    resourceType === 'Document'
      ? devtools.send('Fetch.fulfillRequest', { requestId, ...STUB }, sessionId)
      : devtools.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }, sessionId);
  answered.catch(() => undefined);
}

/** The service drops cookies of others, too; those of the other sites that a person has visited are not sent to it at all. */
function isOf(origins: readonly string[], { domain }: Cookie): boolean {
  return origins.some((origin) => {
    const { hostname } = new URL(origin);
    return hostname === domain || (domain.startsWith('.') && `.${hostname}`.endsWith(domain));
  });
}

function toStateCookie(cookie: Cookie): object {
  return Object.fromEntries(
    COOKIE_FIELDS.flatMap((name) => (cookie[name] === undefined ? [] : [[name, cookie[name]]])),
  );
}
