/**
 * What processes tell each other of a job; the payload is its id. `waiting`: it waits for its turn in the database.
 * Each has a channel of PostgreSQL's NOTIFY.
 */
export const SIGNALS = {
  waiting: 'capture_job_waiting',
  finished: 'capture_job_finished',
  canceled: 'capture_job_canceled',
} as const;
export type Signal = keyof typeof SIGNALS;
