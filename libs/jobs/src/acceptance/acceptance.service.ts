import { Injectable } from '@nestjs/common';
import { sqlStateOf } from '@app/database';
import { SecretBox } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import { assertRepeats, subjectIsGone } from './repetition.js';
import type { Job } from '../job/job.entity.js';
import { toAcceptedRecord, type JobRecord } from '../job/job-record.js';
import { JobRepository } from '../job/job.repository.js';
import { JobQueueService } from '../queue/job-queue.service.js';
import { AcceptanceTransactionService } from './acceptance-transaction.service.js';
import type { AcceptanceOutcome } from './allotment.js';
import { GroupCommit } from './group-commit.js';
import { IntakeService } from './intake.service.js';
import { toCandidate, type Candidate, type Submission } from './submission.js';

/**
 * A group gives way sooner: its members are then taken one by one, so that only the twin waits. Counters of accounts are
 * locked for the time of a commit by others, too, which on a machine under load is not to count as that.
 */
const GROUP_LOCK_TIMEOUT_MS = 1_000;

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
export class AcceptanceService {
  private readonly groups = new GroupCommit<Candidate, AcceptanceOutcome>({
    commit: (candidates) =>
      this.transactions.within(GROUP_LOCK_TIMEOUT_MS, (transaction) =>
        this.intake.take(transaction, candidates),
      ),
    commitAlone: (candidate) => this.commitAlone(candidate),
    isMembersFault: (error) => MEMBERS_FAULTS.includes(sqlStateOf(error)?.slice(0, 2) ?? ''),
    weigh: weightOf,
  });

  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly intake: IntakeService,
    private readonly repository: JobRepository,
    private readonly guard: EgressGuard,
    private readonly queue: JobQueueService,
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
    const candidate = toCandidate(submission, { guard: this.guard, secretBox: this.secretBox });
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

  private async commitAlone(candidate: Candidate): Promise<AcceptanceOutcome> {
    const [verdict] = await this.transactions.patiently(candidate.idempotency, (transaction) =>
      this.intake.take(transaction, [candidate]),
    );
    if (!verdict) throw new Error('A candidate got no verdict');
    return verdict;
  }

  private async replay(
    { job: { accountId }, idempotency }: Candidate,
    { earlier }: AcceptanceOutcome & { kind: 'known' },
  ): Promise<Accepted> {
    assertRepeats(earlier, idempotency?.fingerprint);
    const job = await this.repository.findOfAccount(accountId, earlier.subjectId);
    if (!job || job.deletedAt) throw subjectIsGone();
    return { job, record: (earlier.answer as JobRecord | null) ?? toAcceptedRecord(job, 1), replayed: true };
  }
}

/** Roughly the size of its row, most of which are texts of the caller. */
function weightOf({ job: { options, secrets } }: Candidate): number {
  const lengths = Object.values(options).map((value) => (typeof value === 'string' ? value.length : 100));
  return lengths.reduce((sum, length) => sum + length, secrets?.length ?? 0);
}
