import type { Socket } from 'node:net';
import pg from 'pg';
import { NoConnectionError } from './outage.js';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: pg.PoolClient['release'],
) => void;

export interface PoolSettings extends pg.PoolConfig {
  /** After so many ms without a byte in either direction a connection is given up, and with it the statement on it. */
  readonly silenceMs?: number;
}

/**
 * The pool of pg, but that a connection which cannot be had is an error of a class of its own: when it took too long,
 * pg says so in words alone. And one whose other end vanished without a word (a machine that lost its power, a firewall
 * that forgot) ends: the kernel would wait for a quarter of an hour, and pg's own `query_timeout` gives such a
 * connection back to the pool.
 */
export class Pool extends pg.Pool {
  constructor({ silenceMs, ...config }: PoolSettings = {}) {
    super(config);
    if (silenceMs !== undefined) {
      this.on('connect', (client) => {
        endWhenSilent(client, silenceMs);
      });
    }
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.PoolClient> | void {
    if (!connected) {
      return super.connect().catch((cause: unknown) => {
        throw noConnection(cause);
      });
    }
    super.connect((error, client, release) => {
      connected(error && noConnection(error), client, release);
    });
  }
}

function endWhenSilent(client: pg.PoolClient, silenceMs: number): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.setTimeout(silenceMs, () => {
    stream.destroy(new Error(`The database was silent for ${silenceMs} ms.`));
  });
}

function noConnection(cause: unknown): NoConnectionError {
  return new NoConnectionError('The database gave no connection.', { cause });
}
