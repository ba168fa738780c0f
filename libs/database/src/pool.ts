import pg from 'pg';
import { Client, connectionOf } from './client.js';
import { NoConnectionError, READ_ONLY } from './database-errors.js';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: pg.PoolClient['release'],
) => void;

export interface PoolSettings extends pg.PoolConfig {
  /** A connection without a byte in either direction for this time is closed, which fails its statement. */
  readonly silenceMs?: number;
}

/** While only a standby can be reached, a connection to it is used for this long. */
const READ_ONLY_USE_MS = 1_000;

/**
 * The pool of pg with four changes. A connection that breaks never ends the process. A failure to connect has an error
 * class of its own, because pg reports a timeout only by its message. A connection whose other end is gone without closing
 * it (a power failure, a firewall that dropped its state) is closed: the kernel would wait for a quarter of an hour, and
 * pg's own `query_timeout` returns such a connection to the pool. And no connection to a standby outlives the failover
 * that led to it: one that is known to be read-only is replaced after a second, and as soon as another one accepts writes.
 */
export class Pool extends pg.Pool {
  private readonly openedAt = new WeakMap<pg.ClientBase, number>();
  /** When a connection was opened whose server accepts writes. */
  private writableAt = -Infinity;
  /** When a server, of which that was not known, refused a write: older connections lead to it as well. */
  private refusedAt = -Infinity;

  constructor({ silenceMs, ...config }: PoolSettings = {}) {
    super({ Client, ...config });
    // An idle connection broke; the next statement opens another.
    this.on('error', () => undefined);
    this.on('connect', (client) => {
      this.watch(client);
      if (silenceMs !== undefined) endWhenSilent(client, silenceMs);
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callBack: Connected): void;
  override connect(callBack?: Connected): Promise<pg.PoolClient> | void {
    if (!callBack) {
      return super.connect().then(
        (client) => (this.isOutdated(client) ? this.replace(client) : client),
        (cause: unknown) => {
          throw noConnection(cause);
        },
      );
    }
    super.connect((error, client, release) => {
      if (client && this.isOutdated(client)) {
        release(true);
        this.connect(callBack);
      } else callBack(error && noConnection(error), client, release);
    });
  }

  private replace(client: pg.PoolClient): Promise<pg.PoolClient> {
    client.release(true);
    return this.connect();
  }

  private watch(client: pg.ClientBase): void {
    const now = performance.now();
    this.openedAt.set(client, now);
    if (!isReadOnly(client)) this.writableAt = now;
    connectionOf(client).on('errorMessage', ({ code }) => {
      if (code === READ_ONLY && !isReadOnly(client)) this.refusedAt = performance.now();
    });
  }

  private isOutdated(client: pg.ClientBase): boolean {
    const openedAt = this.openedAt.get(client) ?? 0;
    if (openedAt < this.refusedAt) return true;
    if (!isReadOnly(client)) return false;
    return openedAt < this.writableAt || performance.now() - openedAt > READ_ONLY_USE_MS;
  }
}

function isReadOnly(client: pg.ClientBase): boolean {
  return client instanceof Client && client.isReadOnly;
}

function endWhenSilent(client: pg.ClientBase, silenceMs: number): void {
  const { stream } = connectionOf(client);
  stream.setTimeout(silenceMs, () => {
    stream.destroy(new Error(`The database was silent for ${silenceMs} ms.`));
  });
}

function noConnection(cause: unknown): NoConnectionError {
  return new NoConnectionError('The database could not be connected to.', { cause });
}
