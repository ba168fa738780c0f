import type { RequestListener } from 'node:http';
import type { Page } from 'puppeteer';
import { evaluate } from './browser.js';

/** One way in which a page can leave state behind: a script that leaves it, and one that finds it. */
interface Mark {
  readonly leave: string;
  readonly find: string;
}

/** The response headers of `/marked` leave this state; no script is needed. */
const BY_THE_ANSWER = 'undefined';

/** Limited to what a page of loopback may do without a certificate. */
const MARKS: Readonly<Record<string, Mark>> = {
  'a cookie': {
    leave: `document.cookie = 'script=1; max-age=999'`,
    find: `document.cookie.includes('script=1')`,
  },
  'a cookie that scripts cannot see': {
    leave: BY_THE_ANSWER,
    find: `(await headers()).cookie?.includes('hidden=1')`,
  },
  'a partitioned cookie': {
    leave: BY_THE_ANSWER,
    find: `(await headers()).cookie?.includes('partitioned=1')`,
  },
  'client hints': { leave: BY_THE_ANSWER, find: `'sec-ch-ua-arch' in (await headers())` },
  'the name of the window': { leave: `name = 'marked'`, find: `name === 'marked'` },
  sessionStorage: { leave: `sessionStorage.setItem('mark', '1')`, find: `'mark' in sessionStorage` },
  localStorage: { leave: `localStorage.setItem('mark', '1')`, find: `'mark' in localStorage` },
  'localStorage, written as the page goes': {
    leave: `addEventListener('pagehide', () => localStorage.setItem('late', '1'))`,
    find: `'late' in localStorage`,
  },
  'localStorage of a frame of another site': {
    leave: `await framed()`,
    find: `(await framed()) === 'marked'`,
  },
  IndexedDB: {
    leave: `await new Promise((done) => (indexedDB.open('mark').onsuccess = done))`,
    find: `(await indexedDB.databases()).length > 0`,
  },
  'the cache of scripts': { leave: `await caches.open('mark')`, find: `await caches.has('mark')` },
  'a file': {
    leave: `await (await navigator.storage.getDirectory()).getFileHandle('mark', { create: true })`,
    find: `(await Array.fromAsync((await navigator.storage.getDirectory()).keys())).length > 0`,
  },
  'a storage bucket': {
    leave: `await navigator.storageBuckets.open('mark')`,
    find: `(await navigator.storageBuckets.keys()).length > 0`,
  },
  'a service worker': {
    leave: `await navigator.serviceWorker.register('/worker.js')`,
    find: `(await navigator.serviceWorker.getRegistrations()).length > 0`,
  },
  'the HTTP cache': {
    leave: `await fetch('/cached')`,
    find: `(await fetch('/cached', { cache: 'only-if-cached', mode: 'same-origin' })).ok`,
  },
  'a page that another one put into the HTTP cache': {
    leave: `await fetch('/varying', { cache: 'reload', headers: { 'x-variant': 'marked' } })`,
    find: `(await (await fetch('/varying')).text()) === 'marked'`,
  },
  'a password': {
    leave: `await new Promise((done) => {
      const request = new XMLHttpRequest();
      request.onloadend = done;
      request.open('GET', '/private', true, 'user', 'password');
      request.send();
    })`,
    find: `(await fetch('/private')).ok`,
  },
};

const TOOLS = `
  const headers = async () => (await fetch('/headers', { cache: 'no-store' })).json();
  const framed = () => new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data), { once: true });
    const frame = document.createElement('iframe');
    frame.src = location.origin.replace('127.0.0.1', 'localhost') + '/frame';
    document.documentElement.append(frame);
  });`;

export const ALL_MARKS = Object.keys(MARKS);

const HOUR = 'max-age=3600';

/** The pages that leave and find the marks, for a `Site` that is reached as 127.0.0.1. */
export const MARKING_PAGES: Readonly<Record<string, string | RequestListener>> = {
  '/marked': (_, response) => {
    const cookies = ['hidden=1; HttpOnly', 'partitioned=1; Secure; SameSite=None; Partitioned; Path=/'];
    const headers = { 'set-cookie': cookies, 'accept-ch': 'Sec-CH-UA-Arch' };
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end('<title>Marked</title>');
  },
  '/plain': '<title>Plain</title>',
  '/headers': ({ headers }, response) => response.end(JSON.stringify(headers)),
  '/frame': `<script>
    parent.postMessage(localStorage.getItem('mark'), '*');
    localStorage.setItem('mark', 'marked');
  </script>`,
  '/worker.js': (_, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(),
  '/cached': (_, response) => response.writeHead(200, { 'cache-control': HOUR }).end('cached'),
  '/varying': ({ headers }, response) =>
    response.writeHead(200, { 'cache-control': HOUR }).end(headers['x-variant'] ?? 'plain'),
  '/private': ({ headers }, response) => {
    if (headers.authorization === undefined) response.setHeader('www-authenticate', 'Basic realm="marks"');
    response.writeHead(headers.authorization === undefined ? 401 : 200).end();
  },
};

/** Opens a page of the site and leaves every mark. */
export async function leaveMarks(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/marked`);
  const steps = Object.values(MARKS).map(({ leave }) => `${leave};`);
  await evaluate(page, `(async () => { ${TOOLS} ${steps.join('\n')} })()`);
}

/** Opens another page of the site; returns the marks that it finds. */
export async function findMarks(page: Page, origin: string): Promise<string[]> {
  await page.goto(`${origin}/plain`);
  const found: string[] = [];
  for (const [name, { find }] of Object.entries(MARKS)) {
    // A mark whose script fails, as for a response that is not in the cache, is not found.
    const look = `(async () => { ${TOOLS} return Boolean(${find}); })().catch(() => false)`;
    if (await evaluate(page, look)) found.push(name);
  }
  return found;
}
