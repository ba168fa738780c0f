import { Injectable } from '@nestjs/common';
import { asRequest, asService, sqlStateOf } from '@app/database';
import { invalidRequest } from '@app/kernel';
import { inSpan } from '@app/tracing';
import type { CacheUse } from '../cache/sync-cache.service.js';
import type { Job } from '../job/job.entity.js';
import { toAcceptedRecord, type JobRecord } from '../job/job-record.js';
import { JobRepository } from '../job/job.repository.js';
import { FIRST, JobQueue } from '../queue/job-queue.js';
import type { AcceptanceOutcome } from './acceptance-outcome.js';
import { AcceptanceTransactionService } from './acceptance-transaction.service.js';
import { ComparisonCheckService } from './comparison-check.service.js';
import { GroupCommit } from './group-commit.js';
import { assertSameRequest, subjectIsGone } from './idempotency.js';
import { IntakeService, type IntakeItem } from './intake.service.js';
import type { JobRequest } from './new-job.js';
import { NewJobFactory } from './new-job.factory.js';

/**
 * A group gives up its locks sooner than a single request: its members are then accepted one by one, and only the one that
 * repeats a request in flight waits. The time is well above that of another transaction's commit on a busy machine,
 * because commits also lock the counters of accounts.
 */
const GROUP_LOCK_TIMEOUT_MS = 1_000;

/** Classes of SQLSTATE that refuse a statement: data, integrity, rollback by conflict, limits, locks. */
const MEMBERS_FAULTS = ['22', '23', '40', '54', '55'];

/** A job that counts as accepted: it reaches a final state even if any process dies. */
export interface Accepted {
  /** The job as it is now; that of a repeated request may have ended long ago. */
  readonly job: Job;
  /** The record as it was when the job was accepted. */
  readonly record: JobRecord;
  /** Whether an earlier request under the same Idempotency-Key made this job. */
  readonly replayed: boolean;
  /** For a synchronous capture that the job of another request answers; null for one that makes its own visit. */
  readonly use: CacheUse | null;
}

/** The only way in: everything that must be true before a capture counts as accepted. */
@Injectable()
export class AcceptanceService {
  private readonly groups = new GroupCommit<IntakeItem, AcceptanceOutcome>({
    // Its members may be of several accounts.
    commit: (items) =>
      asService(() =>
        this.transactions.withLockTimeout(GROUP_LOCK_TIMEOUT_MS, (transaction) =>
          this.intake.accept(transaction, items),
        ),
      ),
    commitAlone: (item) => asRequest(() => this.commitAlone(item), item.job.accountId),
    isMembersFault: (error) => MEMBERS_FAULTS.includes(sqlStateOf(error)?.slice(0, 2) ?? ''),
    weigh: weightOf,
  });

  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly intake: IntakeService,
    private readonly repository: JobRepository,
    private readonly queue: JobQueue,
    private readonly newJobs: NewJobFactory,
    private readonly comparisons: ComparisonCheckService,
  ) {}

  /**
   * Stores a capture as queued. A synchronous one takes a slot and is added to the queue at once; any other waits for
   * the dispatcher. When this rejects, nothing is stored, and no Idempotency-Key is kept.
   *
   * @throws AppError `invalid_request` if it cannot be compared as asked, those of its session, `target_forbidden`, `allowance_exhausted`, `concurrency_exceeded`, `idempotency_mismatch`,
   * `idempotency_in_flight`, `result_expired` for a repeated request whose job is gone
   */
  accept(request: JobRequest): Promise<Accepted> {
    const facts = { 'capture.source': request.source };
    return inSpan('capture.accept', { kind: 'producer', facts }, async (span) => {
      const accepted = await this.acceptNow(request);
      const { job, replayed, use } = accepted;
      span.set({
        'capture.id': job.id,
        'capture.origin.id': job.originId,
        'capture.replayed': replayed,
        'capture.cache': use?.status ?? job.cacheStatus,
      });
      // The visit belongs to the trace of the request that it was made for.
      if (use !== null || replayed) span.link(job.traceContext);
      return accepted;
    });
  }

  private async acceptNow(request: JobRequest): Promise<Accepted> {
    await this.newJobs.prepare(request.accountId, request.options);
    const item = this.toItem(request);
    const [fault] = await this.comparisons.faultsOf(request.accountId, [request.options]);
    if (fault) throw invalidRequest([fault]);
    const isSync = request.source === 'sync';
    const outcome = await (isSync ? this.commitAlone(item) : this.groups.submit(item));
    switch (outcome.kind) {
      case 'stored':
        if (isSync) await this.queue.add(outcome.job, { priority: outcome.job.priority ?? FIRST });
        return { ...outcome, replayed: false, use: null };
      case 'cached':
        return this.answered(outcome.job, outcome.use);
      case 'follows':
        return this.answered(await this.repository.findById(outcome.leaderId), outcome.use);
      case 'repeated':
        return this.replay(item, outcome);
      case 'refused':
        throw outcome.error;
      default:
        return outcome satisfies never;
    }
  }

  private answered(job: Job | null, use: CacheUse): Accepted {
    // A record stays for days after its job has ended.
    if (!job) throw new Error('A job that another one follows has no row.');
    return { job, record: toAcceptedRecord(job, 1), replayed: false, use };
  }

  private toItem({ options, idempotency, renews = false, ...request }: JobRequest): IntakeItem {
    const { accountId, source, webhookUrl = null, requestId = null } = request;
    const origin = { accountId, source, webhookUrl, requestId, batchId: null, batchRow: null };
    const job = this.newJobs.make(origin, options);
    return { job: renews && job.cache ? { ...job, cache: { ...job.cache, force: true } } : job, idempotency };
  }

  private async commitAlone(item: IntakeItem): Promise<AcceptanceOutcome> {
    const [outcome] = await this.transactions.forOneRequest(item.idempotency, (transaction) =>
      this.intake.accept(transaction, [item]),
    );
    if (!outcome) throw new Error('The intake returned no outcome for a job.');
    return outcome;
  }

  private async replay(
    { job: { accountId, source }, idempotency }: IntakeItem,
    { earlier }: AcceptanceOutcome & { kind: 'repeated' },
  ): Promise<Accepted> {
    assertSameRequest(earlier, idempotency?.fingerprint);
    const job = await this.repository.findOfAccount(accountId, earlier.subjectId);
    if (!job || job.deletedAt) throw subjectIsGone();
    if (source === 'sync') {
      return {
        job,
        record: toAcceptedRecord(job, 1),
        replayed: true,
        use: earlier.answer as CacheUse | null,
      };
    }
    const record = (earlier.answer as JobRecord | null) ?? toAcceptedRecord(job, 1);
    return { job, record, replayed: true, use: null };
  }
}

/** Roughly the size of the row, most of which is the caller's text. */
function weightOf({ job: { options, secrets } }: IntakeItem): number {
  const lengths = Object.values(options).map((value) => (typeof value === 'string' ? value.length : 100));
  return lengths.reduce((sum, length) => sum + length, secrets?.length ?? 0);
}
