import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import { Client } from './client.js';
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

/**
 * The pool of pg with three changes. A connection that breaks never ends the process. A failure to connect has an error
 * class of its own, because pg reports a timeout only by its message. A connection whose other end is gone without closing
 * it (a power failure, a firewall that dropped its state) is closed: the kernel would wait for a quarter of an hour, and
 * pg's own `query_timeout` returns such a connection to the pool.
 */
export class Pool extends pg.Pool {
  constructor({ silenceMs, ...config }: PoolSettings = {}) {
    super({ Client, ...config });
    this.on('connect', endWhenReadOnly);
    if (silenceMs !== undefined) {
      this.on('connect', (client) => {
        endWhenSilent(client, silenceMs);
      });
    }
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callBack: Connected): void;
  override connect(callBack?: Connected): Promise<pg.PoolClient> | void {
    if (!callBack) {
      return super.connect().catch((cause: unknown) => {
        throw noConnection(cause);
      });
    }
    super.connect((error, client, release) => {
      callBack(error && noConnection(error), client, release);
    });
  }
}

interface Connection extends EventEmitter<{ errorMessage: [{ code?: string }] }> {
  readonly stream: Socket;
}

/** The connection of a client, which the types of pg leave out. */
function connectionOf(client: pg.PoolClient): Connection {
  return (client as unknown as { connection: Connection }).connection;
}

/** After a failover the address leads to the new server, but existing connections stay with the old one. */
function endWhenReadOnly(client: pg.PoolClient): void {
  const { stream } = connectionOf(client).on('errorMessage', ({ code }) => {
    // Deferred, so that the statement still gets its error.
    if (code === READ_ONLY) setImmediate(() => stream.destroy(new Error('The database accepts no writes.')));
  });
}

function endWhenSilent(client: pg.PoolClient, silenceMs: number): void {
  const { stream } = connectionOf(client);
  stream.setTimeout(silenceMs, () => {
    stream.destroy(new Error(`The database was silent for ${silenceMs} ms.`));
  });
}

function noConnection(cause: unknown): NoConnectionError {
  return new NoConnectionError('The database could not be connected to.', { cause });
}
