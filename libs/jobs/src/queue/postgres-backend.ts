import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPostgresBackend,
  type BackendFactory,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
} from 'bullmq';

/** SQLSTATEs and system errors that say the server is gone, starting or full: worth a retry, no fault of the job. */
const LOST_CODE = /^(57P0|08|53300|55000|ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH)/;
/** What node-postgres says of a lost connection without giving a code. */
const LOST_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Between two attempts to connect; without it the worker loop spins (bug 3 below). */
const RECONNECT_DELAY_MS = 1_000;

/** The parts of BullMQ's backend that are not public. BullMQ is pinned exactly because of this interface. */
interface Internals {
  connection: { waitUntilReady(): Promise<void>; readyPromise?: Promise<void> };
  readyPromise?: Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
  run(command: string, values?: readonly unknown[]): Promise<unknown>;
}

/**
 * BullMQ 6.7.0's PostgreSQL backend with four of its faults mended:
 * a first connect that fails is cached for ever; errors other than ECONNREFUSED make the worker loop spin; a
 * connection lost while a completion is written turns the completion into a failure; and a global concurrency with
 * jobs waiting polls without a pause.
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
  const run = backend.run.bind(backend);

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
  backend.run = (command, values) =>
    command === 'has_waiting_job' ? backend.query(HAS_WAITING_JOB, values) : run(command, values);
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

/** BullMQ's own statement ignores the global concurrency, so a full queue with jobs waiting is polled in a tight loop. */
const HAS_WAITING_JOB = `
  SELECT EXISTS (SELECT 1 FROM job WHERE queue = $1 AND state = 'waiting')
     AND NOT EXISTS (SELECT 1 FROM meta WHERE queue = $1 AND field = 'paused' AND value = '1')
     AND coalesce(
           (SELECT count(*) FROM job WHERE queue = $1 AND state = 'active')
         < (SELECT value::int FROM meta WHERE queue = $1 AND field = 'concurrency'), true) AS present`;
