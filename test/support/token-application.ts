import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { Site } from './site.js';

export const PASSWORD = 'correct horse battery';

/**
 * A single-page application that keeps its token as Firebase does: in IndexedDB, below a key, with the moment at which it expires.
 * It has no cookie, and its server knows a caller by the header alone.
 */
export class TokenApplication {
  logIns = 0;
  private readonly tokens = new Set<string>();
  private readonly site = new Site({
    '/': PAGE,
    '/account': PAGE,
    '/api/token': (request, response) => void this.giveToken(request, response),
    '/api/account': (request, response) => {
      const isKnown = this.tokens.has((request.headers.authorization ?? '').replace('Bearer ', ''));
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKnown ? { owner: 'Ada', orders: 2 } : {}));
    },
  });

  static async open(): Promise<TokenApplication> {
    const application = new TokenApplication();
    await application.site.open();
    return application;
  }

  get url(): string {
    return this.site.url('');
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  endSessions(): void {
    this.tokens.clear();
  }

  close(): Promise<void> {
    return this.site.close();
  }

  private readonly giveToken = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const { password } = JSON.parse(await text(request)) as { password?: string };
    if (password !== PASSWORD) return void response.writeHead(403).end('{}');
    this.logIns += 1;
    const token = randomUUID();
    this.tokens.add(token);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }));
  };
}

const PAGE = `<!doctype html><html lang="en"><title>Application</title><main></main><script type="module">
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const opening = indexedDB.open('localStorageDb', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('tokens', { keyPath: 'fbase_key' });
  const database = await done(opening);
  const tokens = (mode) => database.transaction('tokens', mode).objectStore('tokens');
  const main = document.querySelector('main');

  const show = async () => {
    const kept = await done(tokens('readonly').get('user'));
    const headers = kept && kept.value.expires > new Date() ? { authorization: 'Bearer ' + kept.value.token } : {};
    const answer = await fetch('/api/account', { headers });
    if (!answer.ok) return showForm();
    const { owner, orders } = await answer.json();
    document.title = owner + ' has ' + orders + ' orders';
    main.innerHTML = '<h1 class="account">Orders</h1>';
  };

  const showForm = () => {
    document.title = 'Sign in';
    main.innerHTML = '<h1>Sign in</h1><form><input type="password" aria-label="Password"><button>Sign in</button></form>';
    main.querySelector('form').onsubmit = async (event) => {
      event.preventDefault();
      const body = JSON.stringify({ password: main.querySelector('input').value });
      const answer = await fetch('/api/token', { method: 'POST', body });
      const { token } = await answer.json();
      const value = { token, expires: new Date(Date.now() + 3_600_000) };
      await done(tokens('readwrite').put({ fbase_key: 'user', value }));
      await show();
    };
  };
  await show();
</script></html>`;
