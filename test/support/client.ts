import type { Apps } from './apps.js';

/** A record or a problem document of the API. */
export type Json = Readonly<Record<string, unknown>>;

/** Calls the API as an integrator would. */
export class Client {
  constructor(
    private readonly apps: Pick<Apps, 'url' | 'key'>,
    private readonly key: string | null = apps.key,
  ) {}

  /** A client with another key, or with none. */
  withKey(key: string | null): Client {
    return new Client(this.apps, key);
  }

  /** The same caller, on another API with the same database. */
  forApps(apps: Pick<Apps, 'url'>): Client {
    return new Client({ url: apps.url, key: this.apps.key }, this.key);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send('GET', path, { headers });
  }

  /** Captures a page; the response is the file. */
  capture(options: Json, init: RequestInit = {}): Promise<Response> {
    return this.send('POST', '/v1/capture', {
      ...init,
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
      body: JSON.stringify(options),
    });
  }

  /** Submits a job; the response is its record. */
  submit(options: Json, headers: Record<string, string> = {}): Promise<Response> {
    return this.post('/v1/jobs', options, headers);
  }

  post(path: string, body: Json, headers: Record<string, string> = {}): Promise<Response> {
    const type = { 'content-type': 'application/json' };
    return this.send('POST', path, { headers: { ...type, ...headers }, body: JSON.stringify(body) });
  }

  /** Captures a page; returns the record. */
  async record(options: Json): Promise<Json> {
    return json(await this.capture({ ...options, response: 'json' }));
  }

  send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.key !== null) headers.set('authorization', `Bearer ${this.key}`);
    return fetch(new URL(path, this.apps.url), { ...init, method, headers });
  }
}

export async function json(response: Response | Promise<Response>): Promise<Json> {
  return (await (await response).json()) as Json;
}

/** The status of a response and the code of its problem document; the code is undefined when there is none. */
export async function statusAndCode(response: Response | Promise<Response>): Promise<[number, unknown]> {
  const answer = await response;
  return [answer.status, (await json(answer)).code];
}
