import { createInterface } from 'node:readline';
import { VERSION } from '@capture-service/client';
import type { CliContext } from '../context/cli-context.js';
import { write } from '../terminal/output.js';

/** A JSON-RPC message, as far as it is read here. */
interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly protocolVersion?: string };
}

/** Where clients of the protocol 2026-07-28 state it, in each message. */
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const PARSE_ERROR = -32_700;
/** The range of JSON-RPC for errors of a server. */
const SERVER_ERROR = -32_000;

/**
 * Connects a client of MCP that talks over standard input and output with `POST /mcp` of the service: each line is a
 * message, and becomes a request. Nothing but messages is written to standard output. It knows no tool: they are the same
 * over HTTP.
 */
export class McpBridge {
  private readonly url: string;
  private readonly headers: Readonly<Record<string, string>>;
  /** The requests whose answers have not come, by the JSON of their id. */
  private readonly pending = new Map<string, AbortController>();
  /** What `initialize` agreed on, for clients that speak an earlier protocol. */
  private agreed: { version?: string | undefined; session?: string | null } = {};

  constructor(private readonly context: CliContext) {
    const { url = '', key = '' } = context.connection();
    this.url = `${url}/mcp`;
    this.headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${key}`,
      'User-Agent': `capture-cli/${VERSION}`,
    };
  }

  /** Runs until standard input ends or the command is interrupted, and cancels what is under way then. */
  async run(): Promise<void> {
    const { stdin, signal } = this.context;
    const answers = new Set<Promise<void>>();
    for await (const line of createInterface({ input: stdin, crlfDelay: Infinity, signal })) {
      if (line.trim() === '') continue;
      const answer = this.handle(line).finally(() => answers.delete(answer));
      answers.add(answer);
    }
    for (const request of this.pending.values()) request.abort();
    await Promise.all(answers);
  }

  private async handle(line: string): Promise<void> {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      await this.fail(null, { code: PARSE_ERROR, message: 'The line is not valid JSON.' });
      return;
    }
    if (message.method === 'notifications/cancelled') {
      // The service ends the work of a request whose connection is closed.
      this.pending.get(JSON.stringify(message.params?.requestId))?.abort();
      return;
    }
    const request = new AbortController();
    const name = JSON.stringify(message.id);
    if (isRequest(message)) this.pending.set(name, request);
    try {
      await this.forward(message, request.signal);
    } catch (error) {
      if (request.signal.aborted || !isRequest(message)) return;
      await this.fail(message.id, { code: SERVER_ERROR, message: this.explain(error) });
    } finally {
      this.pending.delete(name);
    }
  }

  private async forward(message: Message, signal: AbortSignal): Promise<void> {
    const headers = { ...this.headers, ...this.headersOf(message) };
    const response = await fetch(this.url, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      signal,
      // A redirect would take the key to another place.
      redirect: 'error',
    });
    if (message.method === 'initialize') this.agreed = { session: response.headers.get('mcp-session-id') };
    let isAnswered = !isRequest(message);
    for await (const answer of messagesOf(response)) {
      if (answer.id === undefined) await this.send(answer);
      else if (isRequest(message)) {
        isAnswered = true;
        if (message.method === 'initialize') this.agreed.version = answer.result?.protocolVersion;
        // A request that could not be read is answered without its id.
        await this.send({ ...answer, id: message.id ?? null });
      }
    }
    if (!isAnswered) throw new Error('the connection was cut before the answer came');
  }

  /** What the protocol wants repeated in headers. */
  private headersOf({ method, params }: Message): Record<string, string> {
    const meta = params?._meta as Record<string, unknown> | undefined;
    const stated = meta?.[VERSION_KEY];
    const version = typeof stated === 'string' ? stated : this.agreed.version;
    const name = method === undefined ? undefined : params?.[NAMES[method] ?? ''];
    return {
      ...(version !== undefined && { 'MCP-Protocol-Version': version }),
      ...(this.agreed.session && { 'Mcp-Session-Id': this.agreed.session }),
      ...(method !== undefined && { 'Mcp-Method': method }),
      ...(typeof name === 'string' && { 'Mcp-Name': headerText(name) }),
    };
  }

  private explain(error: unknown): string {
    if (error instanceof ServiceError) return error.message;
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message;
    return `The Capture Service at ${this.url} cannot be reached: ${reason ?? 'the connection failed'}. Check that it runs, and the URL.`;
  }

  private async fail(id: Message['id'], error: { code: number; message: string }): Promise<void> {
    await this.send({ jsonrpc: '2.0', id: id ?? null, error });
  }

  private async send(message: object): Promise<void> {
    await write(this.context, `${JSON.stringify(message)}\n`);
  }
}

/** The service refused a request before it read its message. */
class ServiceError extends Error {}

function isRequest({ id, method }: Message): boolean {
  return id !== undefined && method !== undefined;
}

/** HTTP headers are ASCII without spaces at their ends; other text is encoded as the protocol says. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** The messages of an answer, which is JSON or a stream of events. */
async function* messagesOf(response: Response): AsyncGenerator<Message> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && response.body) {
    yield* eventsOf(response.body);
    return;
  }
  const body = await response.text();
  if (response.ok && body === '') return;
  const answer = parsed(body);
  if (isMessage(answer)) yield answer;
  else if (Array.isArray(answer)) yield* answer.filter(isMessage);
  else throw new ServiceError(refusalOf(response, answer));
}

function isMessage(value: unknown): value is Message {
  return (value as Message | null | undefined)?.jsonrpc === '2.0';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalOf({ status }: Response, problem: unknown): string {
  const { title, detail, code } = (problem ?? {}) as { title?: unknown; detail?: unknown; code?: unknown };
  if (typeof title !== 'string') {
    return `The answer is not that of a Capture Service (HTTP ${status}). Check the URL.`;
  }
  const advice = code === 'unauthorized' ? ' Set another key with `capture login` or CAPTURE_API_KEY.' : '';
  return `${title} (HTTP ${status}). ${typeof detail === 'string' ? detail : ''}${advice}`;
}

/** The messages of an event stream: the data of each event, up to an empty line. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let rest = '';
  let data = '';
  for await (const chunk of body) {
    // Only what is new is searched: a file in one line may be 10 MB.
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const line of lines.map((each) => each.replace(/\r$/, ''))) {
      if (line.startsWith('data:')) data += line.slice('data:'.length);
      if (line !== '') continue;
      const message = parsed(data);
      data = '';
      if (isMessage(message)) yield message;
    }
  }
}
