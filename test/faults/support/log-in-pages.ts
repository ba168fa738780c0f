import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import type { FaultSite } from './fault-site.js';

const FORM = `<!doctype html><title>Sign in</title>
  <style>body { display: grid; place-content: center; height: 100vh; margin: 0 }</style><h1>Sign in</h1>
  <form method="post" action="TARGET"><label>Password <input id="password" name="password" type="password"></label>
  <button id="in">Sign in</button></form>`;

const ACCOUNT = `<!doctype html><title>Account</title><h1 class="account">Your orders</h1>
  <p>Thank you for your order. It will be sent tomorrow, and you will get a message when it is on its way to you.</p>`;

/** Pages of a fault site behind a log-in, whose answers wait while the test holds them. */
export class LogInPages {
  /** The page behind the log-in. */
  readonly account: GatedPage;
  /** What a form is sent to. */
  readonly signIn: GatedPage;
  /** Log-ins that the site has answered. */
  logIns = 0;
  private readonly form: string;
  private readonly sids = new Set<string>();

  constructor(site: FaultSite) {
    this.signIn = new GatedPage(site, (_, response) => {
      this.logIn(response);
    });
    this.form = site.page(FORM.replace('TARGET', this.signIn.url), 'login/form');
    this.account = new GatedPage(site, (request, response) => {
      const sid = /sid=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
      if (this.sids.has(sid)) response.writeHead(200, HEADERS).end(ACCOUNT);
      else response.writeHead(302, { location: this.form }).end();
    });
  }

  /** The site no longer knows anybody who has logged in. */
  endSessions(): void {
    this.sids.clear();
  }

  /** The request for a session that logs in here. */
  requestOf(name: string, more: Json = {}): Json {
    return {
      name,
      origins: [new URL(this.form).origin],
      login: {
        url: this.form,
        actions: [
          { type: 'fill', selector: '#password', secret: 'password' },
          { type: 'click', selector: '#in' },
          { type: 'wait', selector: '.account' },
        ],
        secrets: { password: 'correct horse' },
      },
      ...more,
    };
  }

  /** The request for a session with the state of a browser that has logged in here. */
  stateOf(name: string, more: Json = {}): Json {
    const cookie = { name: 'sid', value: this.addSid(), domain: '127.0.0.1', path: '/' };
    return { name, origins: [new URL(this.form).origin], state: { cookies: [cookie], origins: [] }, ...more };
  }

  private addSid(): string {
    const sid = randomUUID();
    this.sids.add(sid);
    return sid;
  }

  private logIn(response: ServerResponse): void {
    this.logIns += 1;
    response
      .writeHead(200, { ...HEADERS, 'set-cookie': `sid=${this.addSid()}; Path=/; HttpOnly` })
      .end(ACCOUNT);
  }
}

const HEADERS = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A page whose answers are decided when they are given: at once, or when the test releases them. */
export class GatedPage {
  readonly url: string;
  /** The connections of the requests since the last `hold`. */
  visitors: Socket[] = [];
  private waiting: (() => void)[] = [];
  private isHeld = false;

  constructor(site: FaultSite, answer: Answer) {
    this.url = site.page((request, response) => {
      this.visitors.push(request.socket);
      if (this.isHeld) this.waiting.push(() => answer(request, response));
      else answer(request, response);
    });
  }

  /** Requests wait from now on. */
  hold(): void {
    this.isHeld = true;
    this.visitors = [];
  }

  /** Resolves once there have been this many requests since the last `hold`. */
  visited(times = 1): Promise<void> {
    return eventually(`${this.url} is visited ${times} times`, () => this.visitors.length >= times, 60_000);
  }

  /** Answers the waiting requests, and later ones at once. */
  release(): void {
    this.isHeld = false;
    for (const give of this.waiting.splice(0)) give();
  }
}
