import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import { NoConnectionError, READ_ONLY } from './outage.js';

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
    this.on('connect', endWhenReadOnly);
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

interface Connection extends EventEmitter<{ errorMessage: [{ code?: string }] }> {
  readonly stream: Socket;
}

/** pg leaves the connection of a client out of its types. */
function connectionOf(client: pg.PoolClient): Connection {
  return (client as unknown as { connection: Connection }).connection;
}

/** After a failover the same address leads to another server, but not on a connection to the old one. */
function endWhenReadOnly(client: pg.PoolClient): void {
  const { stream } = connectionOf(client).on('errorMessage', ({ code }) => {
    // In a later turn, so that the statement still learns why.
    if (code === READ_ONLY) setImmediate(() => stream.destroy(new Error('The database takes no writes.')));
  });
}

function endWhenSilent(client: pg.PoolClient, silenceMs: number): void {
  const { stream } = connectionOf(client);
  stream.setTimeout(silenceMs, () => {
    stream.destroy(new Error(`The database was silent for ${silenceMs} ms.`));
  });
}

function noConnection(cause: unknown): NoConnectionError {
  return new NoConnectionError('The database gave no connection.', { cause });
}
