/** A request of MCP as a later message names it. */
export interface CallName {
  readonly keyId: string;
  /** The id that `initialize` gave to the client. */
  readonly session: string;
  /** The JSON-RPC id of the request. */
  readonly requestId: unknown;
}

/**
 * The tool calls of this process that `notifications/cancelled` can end. Clients that speak a protocol before 2026-07-28
 * send it as a request of its own instead of closing the stream of the call. JSON-RPC ids are only unique for one client,
 * hence the session, which has no other meaning here: nothing is stored for it.
 */
export class CallsInProgress {
  private readonly calls = new Map<string, AbortController>();

  /** Runs `work` with a signal that aborts when the call is canceled, or when `signal` aborts. */
  async run<T>(name: CallName, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const id = idOf(name);
    const canceled = new AbortController();
    this.calls.set(id, canceled);
    try {
      return await work(AbortSignal.any([signal, canceled.signal]));
    } finally {
      if (this.calls.get(id) === canceled) this.calls.delete(id);
    }
  }

  cancel(name: CallName): void {
    this.calls.get(idOf(name))?.abort(new DOMException('The client canceled the call.', 'AbortError'));
  }
}

function idOf({ keyId, session, requestId }: CallName): string {
  return JSON.stringify([keyId, session, requestId]);
}
