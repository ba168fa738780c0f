import type { Transaction } from '@app/database';

/**
 * The signals that processes send each other about a job, each with its channel of PostgreSQL's NOTIFY. The payload is
 * the id of the job. `waiting`: the job waits in the database for the dispatcher. `forgotten`: its caller deleted what it
 * made, which must not answer others any more.
 */
export const SIGNALS = {
  waiting: 'capture_job_waiting',
  finished: 'capture_job_finished',
  canceled: 'capture_job_canceled',
  forgotten: 'capture_job_forgotten',
} as const;
export type Signal = keyof typeof SIGNALS;

/** Sends the signal of each of these jobs to all processes if and when the transaction commits. */
export async function sendSignal(
  transaction: Transaction,
  signal: Signal,
  jobIds: readonly string[],
): Promise<void> {
  await transaction.query(`SELECT pg_notify($1, id) FROM unnest($2::text[]) AS id`, [
    SIGNALS[signal],
    jobIds,
  ]);
}
