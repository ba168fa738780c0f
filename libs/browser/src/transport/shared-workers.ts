import type { Protocol } from 'puppeteer';

const ATTACHED = '{"method":"Target.attachedToTarget"';
/** A page that starts more of them is hostile; the others are not known. */
const MAX_WORKERS = 1_000;

/**
 * The shared workers of a browser. They belong to no page, so that only the session of the browser itself is attached to them.
 *
 * It reads the messages of the browser before Puppeteer does: when Puppeteer announces a session, it does not say of what.
 */
export class SharedWorkers {
  /** The context of each worker, by its session. */
  private readonly contexts = new Map<string, string | undefined>();

  /** Reads a message of the browser. */
  read(message: string): void {
    if (!message.startsWith(ATTACHED)) return;
    const { params } = JSON.parse(message) as { params: Protocol.Target.AttachedToTargetEvent };
    const { type, browserContextId } = params.targetInfo;
    if (type === 'shared_worker' && this.contexts.size < MAX_WORKERS)
      this.contexts.set(params.sessionId, browserContextId);
  }

  /** Whether the session is one of a shared worker in this context. */
  has(sessionId: string, contextId: string | undefined): boolean {
    return this.contexts.has(sessionId) && this.contexts.get(sessionId) === contextId;
  }

  /** To be called between two captures. */
  clear(): void {
    this.contexts.clear();
  }
}
