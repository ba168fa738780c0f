/**
 * The states of a job and every allowed move.
 *
 *   queued → running → succeeded | failed
 *   queued | running → canceled
 *   queued → failed            (given up before a worker took it)
 *   running → queued           (the attempt was lost or hit a transient fault, and attempts are left; or its worker
 *                              shuts down and hands it back)
 *
 * `attempt` counts how often a worker took the job, and only tells attempts apart. Whether a job is tried again is
 * decided by `failures`, its attempts that ended in a transient fault, and `losses`, those whose worker fell silent: a
 * job that is handed back has done nothing wrong, and one that keeps killing its worker is not to meet a third.
 *
 * A queued job of the background first waits (`dispatched_at` is null) for the dispatcher to give it a slot of its account and
 * a place in the queue. It keeps both until it is final, also when it is queued again.
 *
 * Each move is one conditional UPDATE in job.repository.ts: no row changed means that another process was first,
 * which is an answer and not a fault. A move out of `running` also names its attempt, so a worker that lost its
 * lease can no longer write.
 */
export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const FINAL_STATUSES = ['succeeded', 'failed', 'canceled'] as const satisfies readonly JobStatus[];
export type FinalStatus = (typeof FINAL_STATUSES)[number];

export const MOVES = {
  queued: ['running', 'failed', 'canceled'],
  running: ['succeeded', 'failed', 'queued', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>;

/** A job is tried again until it has failed or been lost this often in all. */
export const MAX_ATTEMPTS = 3;

/** A job that has lost its worker this often is what kills it. */
export const MAX_LOSSES = 2;

/** The states from which a job may move to this one. */
export function sourcesOf(target: JobStatus): JobStatus[] {
  return JOB_STATUSES.filter((from) => (MOVES[from] as readonly JobStatus[]).includes(target));
}

export function isFinal(status: JobStatus): status is FinalStatus {
  return MOVES[status].length === 0;
}

/** What asked for the capture. */
export const JOB_SOURCES = ['sync', 'job', 'batch'] as const;
export type JobSource = (typeof JOB_SOURCES)[number];

/** Why a job was canceled; `overloaded`: a caller waited for it and no worker took it in time. */
export const CANCEL_REASONS = ['client_request', 'client_disconnected', 'overloaded'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
