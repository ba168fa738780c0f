import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPostgresBackend,
  type BackendFactory,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
} from 'bullmq';
import type pg from 'pg';
import { Client, ListeningClient, NoConnectionError, Pool } from '@app/database';

/** SQLSTATEs and system errors of a server that is gone, starting, full or a standby: worth a retry, and not the job's fault. */
const LOST_CODE = /^(57P0|08|53300|55000|25006|ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH)/;
/** The messages of node-postgres for a lost connection without a code. */
const LOST_TEXT =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** The delay between two attempts to connect; without it the worker's loop spins. */
const RECONNECT_DELAY_MS = 1_000;

/** Private parts of BullMQ's backend; because of them BullMQ's version is pinned exactly. */
interface Internals {
  connection: {
    waitUntilReady(): Promise<void>;
    readyPromise?: Promise<void>;
    pool: pg.Pool;
    /** Has the class of the connection that listens. */
    pgModule?: { Client: unknown };
    /** The settings of the pool and of the connection that listens. */
    listenClientConfig?: pg.PoolConfig;
    listenClient?: pg.Client;
    handleListenClientError(client: pg.Client, error: unknown): void;
    emitError(error: Error): void;
  };
  readyPromise?: Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
  waitForJob(timeoutS: number): Promise<unknown>;
}

/**
 * BullMQ 6.7.0's PostgreSQL backend with fixes for five of its bugs: a first connect that fails is cached forever; errors
 * other than ECONNREFUSED make the worker's loop spin; a connection that is lost while a completion is written turns the
 * completion into a failure; the connection that listens has no listener for errors until it is connected, so one that
 * breaks at once ends the process or is kept forever; and connections stay with a standby after a failover. A sixth one,
 * polling without a delay under a global concurrency, does not matter here, because none is set.
 *
 * @see docs/adr/0002-queue-in-postgresql.md
 */
export const createSteadyPostgresBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (
  name,
  options,
  flags,
) => {
  const backend = createPostgresBackend(name, options, flags);
  fix(backend as unknown as Internals);
  return backend;
};

function fix(backend: Internals): void {
  const { connection } = backend;
  const waitUntilReady = connection.waitUntilReady.bind(connection);
  const query = backend.query.bind(backend);

  const waitForJob = backend.waitForJob.bind(backend);

  useOwnClasses(connection);
  connection.waitUntilReady = async () => {
    try {
      await waitUntilReady();
    } catch (error) {
      await sleep(RECONNECT_DELAY_MS);
      connection.readyPromise = undefined;
      backend.readyPromise = undefined;
      throw error;
    }
  };
  backend.waitForJob = async (timeoutS) => {
    try {
      return await waitForJob(timeoutS);
    } catch (error) {
      if (!isLost(error)) throw error;
      const { listenClient } = connection;
      if (listenClient instanceof Client && listenClient.isBroken)
        connection.handleListenClientError(listenClient, error);
      await sleep(RECONNECT_DELAY_MS);
      throw asRefused(error);
    }
  };
  backend.query = async (text, values) => {
    try {
      return await query(text, values);
    } catch (error) {
      throw isLost(error) ? asRefused(error) : error;
    }
  };
}

/** Nothing is connected yet, so that the pool can be replaced. */
function useOwnClasses(connection: Internals['connection']): void {
  connection.pool = new Pool(connection.listenClientConfig);
  connection.pool.on('error', (error) => {
    connection.emitError(error);
  });
  connection.pgModule = { ...connection.pgModule, Client: ListeningClient };
}

function isLost(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoConnectionError) return true;
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && LOST_CODE.test(code)) || LOST_TEXT.test(error.message);
}

/** ECONNREFUSED is the only code that BullMQ retries after `runRetryDelay`. */
function asRefused(error: Error): Error {
  return Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNREFUSED' });
}
