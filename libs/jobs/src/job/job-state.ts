/**
 * The states of a job and every allowed move.
 *
 *   queued → running → succeeded | failed
 *   queued | running → canceled
 *   queued → failed            (given up before a worker took it; or the job that it follows has failed)
 *   queued → succeeded         (the cache answered, or the job that it follows has succeeded)
 *   running → queued           (the attempt was lost or failed with a transient error, and attempts are left; or its
 *                              worker shuts down and hands it back)
 *
 * `attempt` counts how often a worker took the job, and only distinguishes attempts. Retries are limited by `failures`, the
 * attempts that ended in a transient error, and `losses`, those whose worker died. A job that is handed back has not
 * failed, and a job that keeps killing its worker gets no third one. `waits` counts those that only found that the session of the
 * capture is not ready; callers are not shown them.
 *
 * A queued background job first waits (`dispatched_at` is null) until the dispatcher gives it a slot of its account and
 * adds it to the queue. It keeps the slot until it is final, also when it is queued again. A job that follows an identical one
 * (`follows_id`) is queued as well, but waits for the end of that one instead of the dispatcher.
 *
 * Each move of one job is a conditional UPDATE in job.repository.ts; cached-answer.repository.ts and follower.repository.ts move
 * many jobs that they have locked. No changed row means that another process was first, which
 * is a normal result. A move out of `running` also names the attempt, so that a worker that lost its lease cannot write.
 */
export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const FINAL_STATUSES = ['succeeded', 'failed', 'canceled'] as const satisfies readonly JobStatus[];
export type FinalStatus = (typeof FINAL_STATUSES)[number];

export const MOVES = {
  queued: ['running', 'succeeded', 'failed', 'canceled'],
  running: ['succeeded', 'failed', 'queued', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>;

/**
 * The condition in SQL that a job waits for the dispatcher. It repeats that of the partial indexes jobs_waiting and
 * jobs_waiting_by_host, which the planner would not use otherwise.
 */
export const IS_WAITING = `status = 'queued' AND dispatched_at IS NULL AND follows_id IS NULL`;

/** The attempts that callers see: those that opened the page, or were about to. */
export function attemptsOf({ attempt, waits }: { readonly attempt: number; readonly waits: number }): number {
  return attempt - waits;
}

/** A job is retried until its failures and losses reach this number. */
export const MAX_ATTEMPTS = 3;

/** A job that has lost this many workers is assumed to kill them. */
export const MAX_LOSSES = 2;

/** The states from which a job may move to this one. */
export function sourcesOf(target: JobStatus): JobStatus[] {
  return JOB_STATUSES.filter((from) => (MOVES[from] as readonly JobStatus[]).includes(target));
}

export function isFinal(status: JobStatus): status is FinalStatus {
  return MOVES[status].length === 0;
}

/** The kind of request that made the job. */
export const JOB_SOURCES = ['sync', 'job', 'batch'] as const;
export type JobSource = (typeof JOB_SOURCES)[number];

/** Why a job was canceled; `overloaded`: no worker took a synchronous capture in time. */
export const CANCEL_REASONS = [
  'client_request',
  'client_disconnected',
  'overloaded',
  'operator_request',
] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** How the cache answered instead of a visit. */
export const CACHE_ANSWERS = ['hit', 'stale', 'coalesced'] as const;
export type CacheAnswer = (typeof CACHE_ANSWERS)[number];

/** What a capture that asks the cache gets. `miss`, which no column holds, is a capture that made its own visit. */
export const CACHE_OUTCOMES = [...CACHE_ANSWERS, 'miss', 'bypass'] as const;

/** `bypass`: the capture ignored what the cache held. */
export type CacheStatus = CacheAnswer | 'bypass';
