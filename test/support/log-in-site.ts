import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const PASSWORD = 'canary-log-in-4b7e';
/** 160 bits in Base32. */
export const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/**
 * A small site behind a log-in, on loopback: a form with a token against forged requests, a second step with a one-time code, a cookie
 * that scripts cannot read, a token in IndexedDB and local storage, and sessions that end.
 */
export class LogInSite {
  /** Requests by path, without their queries. */
  readonly requests: string[] = [];
  /** Log-ins that succeeded, and those with a wrong password. */
  logIns = 0;
  refusals = 0;
  /** Makes every password wrong. */
  isClosed = false;
  /** Ms that the site takes to log in. */
  delayMs = 0;
  private readonly forms = new Set<string>();
  /** The cookies of all who have logged in. */
  readonly sids: string[] = [];
  private sessions = new Set<string>();

  private constructor(
    readonly url: string,
    readonly port: number,
    private readonly closeServer: () => Promise<void>,
  ) {}

  static async open(): Promise<LogInSite> {
    const server = createServer((request, response) => void site.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const site = new LogInSite(`http://127.0.0.1:${port}`, port, async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    });
    return site;
  }

  /** The site no longer knows anybody who has logged in. */
  endSessions(): void {
    this.sessions = new Set();
  }

  /** Logs in without a form; returns the value of the cookie `sid`. */
  addSession(): string {
    const sid = randomUUID();
    this.sessions.add(sid);
    this.sids.push(sid);
    return sid;
  }

  close(): Promise<void> {
    return this.closeServer();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    this.requests.push(pathname);
    const cookies = new URLSearchParams((request.headers.cookie ?? '').replaceAll('; ', '&'));
    const isIn = this.sessions.has(cookies.get('sid') ?? '');
    if (pathname === '/login' && request.method === 'POST') return this.logIn(request, response);
    if (!isIn && pathname !== '/login' && pathname !== '/storage') {
      response.writeHead(302, { location: `/login?next=${encodeURIComponent(pathname)}` }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
    if (pathname === '/storage') response.end(STORAGE_PAGE);
    else if (isIn) response.end(accountPage(pathname, cookies.get('seen') ?? '0'));
    else response.end(this.form());
  }

  private form(problem = ''): string {
    const token = randomUUID();
    this.forms.add(token);
    return `<!doctype html><title>Sign in</title>
      <style>body { display: grid; place-content: center; height: 100vh; margin: 0 }</style><h1>Sign in</h1><p id="problem">${problem}</p>
      <form method="post" action="/login"><input type="hidden" name="token" value="${token}">
      <label>Name <input id="user" name="user"></label>
      <label>Password <input id="password" name="password" type="password"></label>
      <label>Code <input id="code" name="code" autocomplete="one-time-code"></label><button id="in">Sign in</button></form>`;
  }

  private async logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fields = new URLSearchParams(await text(request));
    await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const isKnown = this.forms.delete(fields.get('token') ?? '');
    const isRight = fields.get('password') === PASSWORD && isCode(fields.get('code') ?? '');
    if (!isKnown || !isRight || this.isClosed) {
      this.refusals += 1;
      response.writeHead(200, { 'content-type': 'text/html' }).end(this.form('Wrong password'));
      return;
    }
    this.logIns += 1;
    const sid = this.addSession();
    const cookie = `sid=${sid}; Path=/; HttpOnly; SameSite=Lax`;
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': cookie }).end(WELCOME_PAGE);
  }
}

/** Keeps a token as single-page applications do. */
const WELCOME_PAGE = `<!doctype html><title>Welcome</title><h1>Welcome</h1><script>
  localStorage.setItem('theme', 'dark');
  indexedDB.open('empty', 2);
  const opening = indexedDB.open('tokens', 3);
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore('users', { keyPath: 'id' });
    store.createIndex('by-name', 'name', { unique: true });
    opening.result.createObjectStore('values');
  };
  opening.onsuccess = () => {
    const change = opening.result.transaction(['users', 'values'], 'readwrite');
    change.objectStore('users').put({ id: 1, name: 'ada', token: 'indexed-token', roles: ['a', 'b'] });
    change.objectStore('values').put({ at: new Date(0), big: 7n, none: undefined, bytes: new Uint8Array([1, 2]) }, 'odd');
    change.oncomplete = () => { document.body.insertAdjacentHTML('beforeend', '<p class="welcome">ready</p>'); };
  };
</script>`;

/** Says what the storage of the site holds. */
const STORAGE_PAGE = `<!doctype html><title>…</title><pre></pre><script>
  const wait = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
  (async () => {
    const databases = (await indexedDB.databases()).map(({ name, version }) => name + version).sort().join();
    const open = await wait(indexedDB.open('tokens'));
    const has = open.objectStoreNames.length > 0;
    const reading = has && open.transaction(['users', 'values']);
    const user = has && (await wait(reading.objectStore('users').index('by-name').get('ada')));
    const odd = has && (await wait(reading.objectStore('values').get('odd')));
    document.title = [databases, localStorage.theme, sessionStorage.tab, user && user.token, odd && odd.at.getTime(),
      odd && String(odd.big), odd && odd.bytes[1], document.cookie, history.length].join('|');
  })();
</script>`;

function accountPage(path: string, seen: string): string {
  return `<!doctype html><title>Account ${path} seen ${seen}</title><h1 class="account">Your orders</h1>
    <p>Thank you for your order. It will be sent tomorrow, and you will get a message when it is on its way to you.</p>
    <script>document.cookie = 'seen=${Number(seen) + 1}; path=/';</script>`;
}

/** RFC 6238, of this or the last 30 seconds. */
function isCode(code: string): boolean {
  return [0, 1].some((ago) => codeOf(ago) === code);
}

/** The code of the authenticator, now or so many times 30 seconds ago. */
export function codeOf(ago = 0): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) - ago));
  const mac = createHmac('sha1', '12345678901234567890').update(bytes).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
