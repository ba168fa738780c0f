import { Injectable } from '@nestjs/common';
import { Database, sqlStateOf } from '@app/database';
import { AppError, SecretBox } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import type { Job } from '../job.entity.js';
import { toAcceptedRecord, type JobRecord } from '../job-record.js';
import { JobRepository } from '../job.repository.js';
import { JobQueue } from '../queue/job-queue.js';
import type { Verdict } from './allotment.js';
import { GroupCommit } from './group-commit.js';
import { Intake } from './intake.service.js';
import { toCandidate, type Candidate, type Submission } from './submission.js';

/** A twin that is being accepted by another process is waited for this long, when nobody else waits behind it. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * A group gives way sooner: its members are then taken one by one, so that only the twin waits. Counters of accounts are
 * locked for the time of a commit by others, too, which on a machine under load is not to count as that.
 */
const GROUP_LOCK_TIMEOUT_MS = 1_000;

/** SQLSTATE `lock_not_available`: the lock timeout has passed. */
const LOCK_TIMED_OUT = '55P03';

/** Of SQLSTATEs that refuse a statement: data, integrity, rollback by conflict, limits, locks. */
const MEMBERS_FAULTS = ['22', '23', '40', '54', '55'];

/** A job that counts as accepted: it reaches a final state, whatever dies. */
export interface Accepted {
  /** As it is now: of a repeated request it may have ended long ago. */
  readonly job: Job;
  /** As it was when it was accepted. */
  readonly record: JobRecord;
  /** Whether an earlier request under the same Idempotency-Key is what was accepted. */
  readonly replayed: boolean;
}

/** The one way in: everything that must be true before a capture counts as accepted. */
@Injectable()
export class Acceptance {
  private readonly groups = new GroupCommit<Candidate, Verdict>({
    commit: (candidates) => this.commit(candidates, GROUP_LOCK_TIMEOUT_MS),
    commitAlone: (candidate) => this.commitAlone(candidate),
    isMembersFault: (error) => MEMBERS_FAULTS.includes(sqlStateOf(error)?.slice(0, 2) ?? ''),
    weigh: weightOf,
  });

  constructor(
    private readonly database: Database,
    private readonly intake: Intake,
    private readonly repository: JobRepository,
    private readonly guard: EgressGuard,
    private readonly queue: JobQueue,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * Stores a capture as queued. A synchronous one takes a slot and is told to the queue at once; any other waits for
   * the dispatcher. When this rejects, nothing is stored, and no Idempotency-Key is kept.
   *
   * @throws AppError `target_forbidden`, `allowance_exhausted`, `concurrency_exceeded`, `idempotency_mismatch`,
   * `idempotency_in_flight`, `result_expired` of a repeated request whose job is gone
   */
  async accept(submission: Submission): Promise<Accepted> {
    const candidate = toCandidate(submission, this.guard, this.secretBox);
    const isSync = submission.source === 'sync';
    const verdict = await (isSync ? this.commitAlone(candidate) : this.groups.submit(candidate));
    switch (verdict.kind) {
      case 'stored':
        if (isSync) await this.queue.add(verdict.job);
        return { ...verdict, replayed: false };
      case 'known':
        return this.replay(candidate, verdict);
      case 'refused':
        throw verdict.error;
      default:
        return verdict satisfies never;
    }
  }

  private async commitAlone(candidate: Candidate): Promise<Verdict> {
    try {
      const [verdict] = await this.commit([candidate], LOCK_TIMEOUT_MS);
      if (!verdict) throw new Error('A candidate got no verdict');
      return verdict;
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_TIMED_OUT) throw error;
      throw new AppError(candidate.idempotency ? 'idempotency_in_flight' : 'overloaded', { cause: error });
    }
  }

  private commit(candidates: readonly Candidate[], lockTimeoutMs: number): Promise<Verdict[]> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(`SELECT set_config('lock_timeout', $1, true)`, [String(lockTimeoutMs)]);
      return this.intake.take(transaction, candidates);
    });
  }

  private async replay(
    { job: { accountId }, idempotency }: Candidate,
    { earlier }: Verdict & { kind: 'known' },
  ): Promise<Accepted> {
    if (!idempotency?.fingerprint.equals(earlier.fingerprint)) throw new AppError('idempotency_mismatch');
    const job = await this.repository.findOfAccount(accountId, earlier.subjectId);
    if (!job) {
      throw new AppError('result_expired', { detail: 'What this Idempotency-Key stands for is deleted.' });
    }
    return { job, record: (earlier.answer as JobRecord | null) ?? toAcceptedRecord(job, 1), replayed: true };
  }
}

/** Roughly the size of its row, most of which are texts of the caller. */
function weightOf({ job: { options, secrets } }: Candidate): number {
  const lengths = Object.values(options).map((value) => (typeof value === 'string' ? value.length : 100));
  return lengths.reduce((sum, length) => sum + length, secrets?.length ?? 0);
}
