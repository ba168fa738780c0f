import { hasEnded, type CaptureClient } from '@capture-service/client';
import { BatchFollower } from './batch-follower.js';
import { planOf, type Submission } from './batch-plan.js';
import { RefusedRowsError, type BatchSubmitter, type SubmittedBatch } from './batch-submitter.js';
import type { OutageRetry } from './outage-retry.js';
import { filesOf } from './row-files.js';
import { LOST, RowIntake, type IntakeParts } from './row-intake.js';
import type { EndedRecord } from './row-outcome.js';
import type { SourceRow } from './source-rows.js';

/** The next batch is submitted when the service has fewer rows than this left, so that it never runs out of them. */
const BACKLOG_ROWS = 1_000;

/** What a run works with. */
export interface RunParts extends IntakeParts {
  readonly client: CaptureClient;
  readonly submitter: BatchSubmitter;
  readonly outageRetry: OutageRetry;
}

interface RunSettings {
  /** Files that are downloaded at once. */
  readonly parallel: number;
  /** Whether the failed rows are captured again at the end. */
  readonly retriesFailed: boolean;
  /** Size of the options for all rows. */
  readonly defaultBytes: number;
}

/** A batch that is followed. */
interface Followed {
  /** Rows that have not ended. */
  readonly progress: { readonly left: number };
  readonly done: Promise<void>;
}

/** Takes a list through its batches: submits what is missing, follows all, and downloads their files as they come. */
export class BatchRun {
  private readonly intake: RowIntake;
  private readonly following = new Map<number, Followed>();
  private wake: () => void = () => undefined;

  constructor(
    private readonly parts: RunParts,
    private readonly settings: RunSettings,
  ) {
    this.intake = new RowIntake(parts, settings.parallel);
  }

  /**
   * @param plan the rows of which no batch is known yet
   * @param rows all rows of the list
   */
  async run(plan: readonly Submission[], rows: readonly SourceRow[]): Promise<void> {
    this.signal.addEventListener('abort', () => {
      this.wake();
    });
    try {
      await this.capture(plan, rows);
      this.signal.throwIfAborted();
    } catch (error) {
      this.parts.controller.abort(error);
      // What is half written is removed before the command ends.
      await this.intake.idle();
      throw this.signal.reason;
    }
  }

  private async capture(plan: readonly Submission[], rows: readonly SourceRow[]): Promise<void> {
    const { submitter, outcomes } = this.parts;
    const wereCanceled = new Set<number>();
    for (const [i, batch] of submitter.batches.entries()) {
      const submitted = await submitter.finish(batch);
      const record = await this.parts.outageRetry.run(() =>
        this.parts.client.bulk.get(submitted.id, { signal: this.signal }),
      );
      if (hasEnded(record)) submitter.markEnded(submitted.id);
      const wasCanceled = record.status === 'canceled';
      if (wasCanceled) wereCanceled.add(i);
      this.follow(submitted, i, wasCanceled);
    }
    for (const submission of plan) await this.submitWhenLow(submission);
    await this.followAll();
    const again = [...wereCanceled]
      .flatMap((i) => outcomes.ofBatch(i))
      .filter(({ status }) => status === 'canceled');
    await this.captureAgain(
      again.map(({ row }) => row),
      rows,
    );
    if (this.settings.retriesFailed) await this.retryFailed(rows);
    await outcomes.finish();
  }

  private get signal(): AbortSignal {
    return this.parts.controller.signal;
  }

  private async submitWhenLow(submission: Submission): Promise<void> {
    const { submitter, progress } = this.parts;
    while (this.backlog() >= BACKLOG_ROWS) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      this.signal.throwIfAborted();
    }
    const batch = await submitter.submit(submission);
    this.signal.throwIfAborted();
    progress.submitted(submission.rows.length);
    this.follow(batch, submitter.batches.length - 1, false);
  }

  private backlog(): number {
    return [...this.following.values()].reduce((sum, { progress }) => sum + progress.left, 0);
  }

  /** Follows a batch to its end. Any failure ends the whole run. */
  private follow(batch: SubmittedBatch, index: number, mayBeRepeated: boolean): void {
    const { client, submitter, outageRetry, controller, progress } = this.parts;
    const rows = { left: batch.rows.length };
    const follower = new BatchFollower(client, batch.id, {
      signal: this.signal,
      outageRetry,
      onProgress: (record) => {
        rows.left = record.counts.queued + record.counts.running;
        progress.batch(record);
        this.wake();
      },
      onRow: (record) => this.acceptEnded(record, { batch, index, mayBeRepeated }),
    });
    const done = follower.follow().then(
      () => {
        submitter.markEnded(batch.id);
      },
      (error: unknown) => {
        // The other batches end, and `all` throws the reason.
        controller.abort(error);
      },
    );
    this.following.set(index, { progress: rows, done });
  }

  private async followAll(): Promise<void> {
    await Promise.all([...this.following.values()].map(({ done }) => done));
    await this.intake.idle();
    this.signal.throwIfAborted();
  }

  private async acceptEnded(
    record: EndedRecord,
    { batch, index, mayBeRepeated }: { batch: SubmittedBatch; index: number; mayBeRepeated: boolean },
  ): Promise<void> {
    const row = batch.rows[(record.row ?? 0) - 1];
    if (row === undefined) return;
    const hasSucceeded = record.status === 'succeeded';
    const isFinal =
      hasSucceeded || !(mayBeRepeated || this.settings.retriesFailed || this.isRepeated(row, index));
    const files = hasSucceeded ? filesOf(row, record) : [];
    await this.intake.accept({ row, record, files, batch: index, isFinal });
  }

  private isRepeated(row: number, index: number): boolean {
    return this.parts.submitter.batches.slice(index + 1).some(({ rows }) => rows.includes(row));
  }

  /** Captures rows again that were canceled, or whose files are lost. */
  private async captureAgain(numbers: readonly number[], rows: readonly SourceRow[]): Promise<void> {
    const wanted = new Set(numbers);
    for (const submission of planOf(
      rows.filter(({ row }) => wanted.has(row)),
      this.settings.defaultBytes,
    )) {
      await this.submitWhenLow(submission);
    }
    await this.followAll();
  }

  private async retryFailed(rows: readonly SourceRow[]): Promise<void> {
    const { submitter, outcomes } = this.parts;
    const lost: number[] = [];
    for (const [i, batch] of submitter.batches.entries()) {
      const failed = outcomes
        .ofBatch(i)
        .filter(({ status, error }) => status === 'failed' && error?.code !== 'invalid_request');
      lost.push(...failed.filter(({ error }) => LOST.has(error?.code ?? '')).map(({ row }) => row));
      if (batch.id === undefined || failed.every(({ error }) => LOST.has(error?.code ?? ''))) continue;
      if (!(await this.retry({ ...batch, id: batch.id }))) lost.push(...failed.map(({ row }) => row));
    }
    await this.captureAgain(lost, rows);
  }

  /** Returns false if the service cannot repeat the rows: it has deleted their secrets, which the list still has. */
  private async retry(batch: SubmittedBatch): Promise<boolean> {
    const { submitter } = this.parts;
    try {
      this.follow(await submitter.retry(batch), submitter.batches.length - 1, false);
      return true;
    } catch (error) {
      if (error instanceof RefusedRowsError) return false;
      throw error;
    }
  }
}
