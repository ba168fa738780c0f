import { setWorldConstructor, World } from '@cucumber/cucumber';
import type { ToolOutcome } from '../support/mcp.js';
import type { Limits, Service } from './service.js';

/** The callers of the service that a step can name. */
export const CALLERS = ['I', 'a stranger', 'another account', 'a browser'] as const;
export type Caller = (typeof CALLERS)[number];

/** A response that was read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a page of the console sends with each of its requests, as browsers do. */
const OF_THE_CONSOLE = { 'sec-fetch-site': 'same-origin', 'x-capture-console': '1' } as const;

/** `{site}` or `{key id}`: a word for which the scenario has a value. JSON never looks like this. */
const WORD = /\{([a-z][a-z ]*)\}/g;

/** One scenario: the accounts that it has, what it remembers, and the answer that its next step looks at. */
export class Scenario extends World {
  static service: Service | undefined;

  /** A path of the receiver of webhooks that only this scenario uses. */
  readonly receiverPath = `/${crypto.randomUUID()}`;
  /** An answer that nobody has waited for yet. */
  waiting: Promise<Answer> | undefined;
  /** What the last tool returned. */
  outcome: ToolOutcome | undefined;
  /** A metric, and its value before what the scenario does. */
  watched: { readonly read: () => Promise<number>; readonly before: number } | undefined;
  /** What the steps about its fields read: the last answer in JSON, or the last event. */
  document: unknown;
  private lastAnswer: Answer | undefined;
  private cookie = '';
  private readonly keys = new Map<Caller, Promise<string>>();
  private readonly words = new Map<string, string>();

  get service(): Service {
    if (!Scenario.service) throw new Error('The service has not started');
    return Scenario.service;
  }

  get answer(): Answer {
    if (!this.lastAnswer) throw new Error('Nothing was asked yet');
    return this.lastAnswer;
  }

  /** Replaces the account of the scenario by one with other limits. */
  setLimits(limits: Limits): void {
    this.keys.set('I', this.service.createAccount(limits));
  }

  /** The API key of a caller that has an account. */
  keyOf(caller: Caller): Promise<string> {
    const key = this.keys.get(caller) ?? this.service.createAccount({});
    this.keys.set(caller, key);
    return key;
  }

  remember(word: string, value: string): void {
    this.words.set(word, value);
  }

  /** A text of the scenario with the values of its words. */
  async fill(text: string): Promise<string> {
    for (const [, word = ''] of text.matchAll(WORD)) {
      if (!this.words.has(word)) this.remember(word, await this.lookUp(word));
    }
    return text.replace(WORD, (_, word: string) => this.words.get(word) ?? '');
  }

  private async lookUp(word: string): Promise<string> {
    switch (word) {
      case 'service':
        return this.service.url;
      case 'site':
        return this.service.site.url;
      case 'receiver':
        return this.service.receiver.url(this.receiverPath);
      case 'key':
        return this.keyOf('I');
      case 'key id':
        return (await this.keyOf('I')).split('_')[1] ?? '';
      default:
        throw new Error(`The scenario has no value for {${word}}`);
    }
  }

  /** Calls the service; the answer is the one that the next steps look at. */
  async call(caller: Caller, call: Call): Promise<Answer> {
    this.lastAnswer = await this.ask(caller, call);
    this.document = jsonOf(this.lastAnswer);
    return this.lastAnswer;
  }

  /** Waits for the answer that nobody has waited for. */
  async awaitAnswer(): Promise<void> {
    if (!this.waiting) throw new Error('There is no request without an answer');
    this.lastAnswer = await this.waiting;
    this.document = jsonOf(this.lastAnswer);
  }

  /** Calls the service and reads the answer. */
  async ask(caller: Caller, { method, path, body, headers }: Call): Promise<Answer> {
    const response = await fetch(new URL(await this.fill(path), this.service.url), {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(await this.credentialsOf(caller)) },
      ...(body !== undefined && { body: await this.fill(body) }),
    });
    const cookie = response.headers.getSetCookie().at(0)?.split(';').at(0);
    if (caller === 'a browser' && cookie !== undefined) this.cookie = cookie;
    return {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer()),
    };
  }

  private async credentialsOf(caller: Caller): Promise<Record<string, string>> {
    switch (caller) {
      case 'I':
      case 'another account':
        return { authorization: `Bearer ${await this.keyOf(caller)}` };
      case 'a browser':
        return { ...OF_THE_CONSOLE, ...(this.cookie !== '' && { cookie: this.cookie }) };
      case 'a stranger':
        return {};
    }
  }
}

function jsonOf({ headers, body }: Answer): unknown {
  return headers.get('content-type')?.includes('json') ? JSON.parse(body.toString()) : undefined;
}

setWorldConstructor(Scenario);
