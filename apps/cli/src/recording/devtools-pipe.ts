import type { Readable, Writable } from 'node:stream';

/** A message of the DevTools protocol that is no answer. */
export interface DevtoolsEvent {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly sessionId?: string | undefined;
}

interface Message extends Partial<DevtoolsEvent> {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const SESSION_NOT_FOUND = -32_001;

/** An answer of the browser that it did not do what was asked. */
export class DevtoolsError extends Error {
  /** Whether the tab or the frame of the session is gone. */
  readonly isOfLostSession: boolean;

  constructor({ code, message }: Required<Message>['error']) {
    super(message);
    this.isOfLostSession = code === SESSION_NOT_FOUND;
  }
}

type Waiting = PromiseWithResolvers<unknown>;

/**
 * The DevTools protocol over the pipe of a browser, of which a command needs a dozen messages. No other program of the machine can
 * use it, unlike a port.
 */
export class DevtoolsPipe {
  /** Called with each event. */
  onEvent: (event: DevtoolsEvent) => void = () => undefined;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private rest = '';

  constructor(
    private readonly output: Writable,
    input: Readable,
  ) {
    // A browser that ends closes its pipe; `close` then rejects the calls that wait.
    output.on('error', () => undefined);
    input.on('error', () => undefined);
    input.setEncoding('utf8').on('data', (text: string) => this.readMessages(text));
  }

  /** @throws DevtoolsError of the browser */
  async send<Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    const id = (this.lastId += 1);
    const answer: Waiting = Promise.withResolvers();
    this.waiting.set(id, answer);
    this.output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return (await answer.promise) as Result;
  }

  /** Rejects whatever waits for an answer. */
  close(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  private readMessages(text: string): void {
    const messages = (this.rest + text).split('\0');
    this.rest = messages.pop() ?? '';
    for (const message of messages) this.handle(JSON.parse(message) as Message);
  }

  private handle({ id, result, error, method, params = {}, sessionId }: Message): void {
    if (method !== undefined) this.onEvent({ method, params, sessionId });
    if (id === undefined) return;
    const answer = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) answer?.reject(new DevtoolsError(error));
    else answer?.resolve(result);
  }
}
