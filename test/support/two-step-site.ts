import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The seed of RFC 6238, appendix B, and the same in Base32. */
const SEED = '12345678901234567890';
export const BASE32_SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
export const PASSWORD = 'correct horse battery';

interface Session {
  readonly token: string;
  state: 'begun' | 'password' | 'in';
}

/**
 * A site with a log-in in two steps: a password, then the code of an authenticator. Each form has a token against forged
 * requests, and the account is shown to a session that has done both.
 */
export class TwoStepSite {
  private readonly sessions = new Map<string, Session>();
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));

  static async start(): Promise<TwoStepSite> {
    const site = new TwoStepSite();
    await new Promise<void>((resolve) => site.server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = this.sessionOf(request, response);
    if (request.method === 'POST') {
      const form = new URLSearchParams(await text(request));
      if (form.get('token') !== session.token) return void response.writeHead(403).end('Forged.');
      if (session.state === 'begun' && form.get('password') === PASSWORD) session.state = 'password';
      else if (session.state === 'password' && isCode(form.get('code'))) session.state = 'in';
      return void response.writeHead(303, { location: '/' }).end();
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(session));
  }

  private sessionOf(request: IncomingMessage, response: ServerResponse): Session {
    const [, id = ''] = /session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? [];
    const known = this.sessions.get(id);
    if (known) return known;
    const session: Session = { token: randomUUID(), state: 'begun' };
    const created = randomUUID();
    this.sessions.set(created, session);
    response.setHeader('set-cookie', `session=${created}; HttpOnly; SameSite=Strict; Path=/`);
    return session;
  }
}

const FIELDS: Readonly<Record<Exclude<Session['state'], 'in'>, string>> = {
  begun: '<label>Password <input name="password" type="password"></label>',
  password: '<label>Code <input name="code" inputmode="numeric" autocomplete="one-time-code"></label>',
};

function pageOf({ state, token }: Session): string {
  const body =
    state === 'in'
      ? '<h1>Account of Ada</h1><p>Balance: 12 coins</p>'
      : `<form method="post"><input type="hidden" name="token" value="${token}">${FIELDS[state]}<button>Continue</button></form>`;
  return `<!doctype html><html lang="en"><title>Bank</title>${body}</html>`;
}

/** Whether it is the code of now, or of the step of time before or after, as servers accept them (RFC 6238, section 5.2). */
function isCode(given: string | null): boolean {
  const step = Math.floor(Date.now() / 30_000);
  return [step - 1, step, step + 1].some((each) => codeAt(each) === given);
}

/** RFC 4226, section 5.3. */
function codeAt(step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', SEED).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
