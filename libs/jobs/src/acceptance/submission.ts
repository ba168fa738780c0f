import { givenOptions, splitSecrets, type CaptureOptions } from '@app/capture';
import { newId, type SecretBox } from '@app/kernel';
import type { EgressGuard } from '@app/outbound';
import type { JobSource } from '../job/job-state.js';
import type { NewJob } from './new-job.js';

/** A capture that somebody asks for, its options and the URL of its webhook valid. */
export interface Submission {
  readonly accountId: string;
  readonly source: JobSource;
  readonly options: CaptureOptions;
  /** Where the end is told. */
  readonly webhookUrl?: string;
  /** Of the HTTP request, for the log. */
  readonly requestId?: string;
  readonly idempotency?: Idempotency;
}

/** What makes a request and its repetition the same. */
export interface Idempotency {
  readonly key: string;
  /** Of what is asked for; given by `fingerprintOf`. */
  readonly fingerprint: Buffer;
}

/** A job to be, but for what is known only in the transaction. */
export type DraftJob = Omit<NewJob, 'usagePeriod'>;

/** A submission as it is stored. */
export interface Candidate {
  readonly job: DraftJob;
  readonly idempotency: Idempotency | undefined;
}

/** What a job is made with. */
export interface DraftTools {
  readonly guard: EgressGuard;
  readonly secretBox: SecretBox;
}

/** @throws AppError `target_forbidden` */
export function toCandidate(submission: Submission, tools: DraftTools): Candidate {
  const { accountId, source, options, webhookUrl = null, requestId = null, idempotency } = submission;
  const owner = { accountId, source, webhookUrl, requestId, batchId: null, batchRow: null };
  return { job: draftOf(owner, options, tools), idempotency };
}

/** Whose a job is, and where it came from. */
export type Origin = Pick<
  DraftJob,
  'accountId' | 'source' | 'webhookUrl' | 'requestId' | 'batchId' | 'batchRow'
>;

/** @throws AppError `target_forbidden` */
export function draftOf(origin: Origin, options: CaptureOptions, { guard, secretBox }: DraftTools): DraftJob {
  const id = newId();
  const url = options.url === undefined ? null : new URL(options.url);
  // `html` gets the origin of its base_url, so that is as much a target as a page's own address.
  const target = url ?? (options.base_url === undefined ? null : new URL(options.base_url));
  if (target) guard.admit(target);
  const { open, secrets } = splitSecrets(givenOptions(options));
  return {
    ...origin,
    id,
    url: url?.href ?? null,
    host: url?.hostname ?? null,
    format: options.format,
    options: open,
    secrets: secrets && secretBox.seal(secrets, id),
    reference: options.reference ?? null,
    timeoutMs: options.timeout_ms,
  };
}
