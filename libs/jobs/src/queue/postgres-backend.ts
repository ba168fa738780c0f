import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPostgresBackend,
  type BackendFactory,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
} from 'bullmq';

/** SQLSTATEs and system errors that say the server is gone, starting, full or a standby: worth a retry, no fault of the job. */
const LOST_CODE = /^(57P0|08|53300|55000|25006|ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH)/;
/** What node-postgres says of a lost connection without giving a code. */
const LOST_TEXT =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Between two attempts to connect; without it the worker loop spins (bug 3 below). */
const RECONNECT_DELAY_MS = 1_000;

/** The parts of BullMQ's backend that are not public. BullMQ is pinned exactly because of this interface. */
interface Internals {
  connection: { waitUntilReady(): Promise<void>; readyPromise?: Promise<void> };
  readyPromise?: Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
}

/**
 * BullMQ 6.7.0's PostgreSQL backend with three of its faults mended: a first connect that fails is cached for ever;
 * errors other than ECONNREFUSED make the worker loop spin; and a connection lost while a completion is written turns
 * the completion into a failure. (A fourth, polling without a pause under a global concurrency, does not concern us:
 * we set none.)
 *
 * @see docs/adr/0002-queue-in-postgresql.md
 */
export const createSteadyPostgresBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (
  name,
  options,
  flags,
) => {
  const backend = createPostgresBackend(name, options, flags);
  mend(backend as unknown as Internals);
  return backend;
};

function mend(backend: Internals): void {
  const { connection } = backend;
  const waitUntilReady = connection.waitUntilReady.bind(connection);
  const query = backend.query.bind(backend);

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
  backend.query = async (text, values) => {
    try {
      return await query(text, values);
    } catch (error) {
      throw isLost(error) ? asRefused(error) : error;
    }
  };
}

function isLost(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && LOST_CODE.test(code)) || LOST_TEXT.test(error.message);
}

/** The one code that BullMQ retries after `runRetryDelay`. */
function asRefused(error: Error): Error {
  return Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNREFUSED' });
}
