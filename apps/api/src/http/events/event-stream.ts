import { once } from 'node:events';
import type { Response } from 'express';

/** Shorter than the idle timeout of common proxies. */
const HEARTBEAT_MS = 15_000;

/** How soon a caller whose stream ended early connects again, such as during a rolling restart. */
const RETRY_MS = 1_000;

export interface StreamEvent {
  readonly name: string;
  readonly id: string;
  readonly data: object;
}

/** Server-sent events (WHATWG HTML, 9.2) over one response. */
export class EventStream {
  private readonly heartbeat: NodeJS.Timeout;
  private hasSent = false;

  constructor(private readonly response: Response) {
    response.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      // Without it nginx buffers the events.
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    this.heartbeat = setInterval(() => {
      if (!response.writableNeedDrain) response.write(': still here\n\n');
    }, HEARTBEAT_MS);
    response.once('close', () => {
      clearInterval(this.heartbeat);
    });
  }

  send({ name, id, data }: StreamEvent): void {
    const retry = this.hasSent ? '' : `retry: ${RETRY_MS}\n`;
    this.hasSent = true;
    this.response.write(`event: ${name}\nid: ${id}\n${retry}data: ${JSON.stringify(data)}\n\n`);
  }

  /** Resolves when the caller has read enough for the next event, or `signal` aborts. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.response.writableNeedDrain)
      await once(this.response, 'drain', { signal }).catch(() => undefined);
  }

  end(): void {
    clearInterval(this.heartbeat);
    this.response.end();
  }
}
