import { randomUUID } from 'node:crypto';
import {
  CaptureError,
  type BatchItem,
  type BatchRecord,
  type CaptureClient,
  type FieldError,
} from '@capture-service/client';
import { CliError } from '../context/cli-error.js';
import type { GivenOptions } from '../options/given-options.js';
import { submissionOf, type Submission } from './batch-plan.js';
import type { BatchState, StateBatch } from './batch-state.js';
import type { OutageRetry } from './outage-retry.js';
import type { SourceRow } from './source-rows.js';
import type { WorkFolder } from './work-folder.js';

/** The service knows an Idempotency-Key for 24 h; the rest is for clocks that differ. */
const KEY_LIFE_MS = 23 * 3_600_000;

/** What the submitter works with. */
export interface SubmitterSettings {
  readonly client: CaptureClient;
  readonly folder: WorkFolder<BatchState>;
  readonly outageRetry: OutageRetry;
  /** Nothing is submitted when it is aborted. */
  readonly signal: AbortSignal;
  /** All rows of the list. */
  readonly rows: readonly SourceRow[];
  /** Options of all rows. */
  readonly options: GivenOptions;
  readonly skipInvalid: boolean;
  /** Receives the faults of rows that are left out. */
  readonly onFaults: (faults: readonly FieldError[], rows: readonly SourceRow[]) => void;
}

/** A batch that the service has accepted; its entry in the state has its id. */
export type SubmittedBatch = StateBatch & { readonly id: string };

/** Rows that are not valid; nothing of their submission is stored. */
export class RefusedRowsError extends Error {
  override readonly name = 'RefusedRowsError';
  /** The service has not checked all rows: there may be more faults. */
  readonly isPartial: boolean;

  constructor(
    readonly faults: readonly FieldError[],
    readonly rows: readonly SourceRow[],
    /** The refusal of the service; without one, it was asked about all rows. */
    cause?: CaptureError,
  ) {
    super('Rows are not valid.', { cause });
    this.isPartial = cause?.problem !== undefined && 'rows_checked' in cause.problem;
  }
}

/** Submits the rows of a list, each once: the state is saved before a submission, and after it. */
export class BatchSubmitter {
  /** The submission that is under way, so that a batch that is just being accepted can be canceled. */
  private submitting: Promise<unknown> = Promise.resolve();
  private readonly ended = new Set<string>();

  constructor(
    private readonly settings: SubmitterSettings,
    private state: BatchState,
  ) {}

  get batches(): readonly StateBatch[] {
    return this.state.batches;
  }

  /** Submits new rows as a batch. @throws RefusedRowsError */
  async submit({ rows }: Submission): Promise<SubmittedBatch> {
    return this.add({ rows: rows.map(({ row }) => row) });
  }

  /** Submits the failed rows of a batch again, with their numbers. @throws RefusedRowsError */
  async retry({ id, rows }: SubmittedBatch): Promise<SubmittedBatch> {
    return this.add({ rows, retryOf: id });
  }

  /**
   * Completes a submission that was interrupted: the service answers with the batch that it has stored, or stores it now.
   *
   * @throws CliError if the service does not remember it
   */
  async finish(batch: StateBatch): Promise<SubmittedBatch> {
    if (batch.id !== undefined) return { ...batch, id: batch.id };
    if (Date.now() - Date.parse(batch.submittedAt) < KEY_LIFE_MS) return this.send(batch);
    throw new CliError(
      `An earlier run was stopped while it submitted rows on ${batch.submittedAt}, too long ago to find out whether the service took them. ` +
        'Look for them with `capture captures list --source batch`; --restart captures all rows.',
    );
  }

  /** Validates rows without storing anything. Returns their faults, and how many captures they need. */
  async check(
    submission: Submission,
  ): Promise<{ faults: readonly FieldError[]; rejected: number; needed: number; available: number }> {
    const { errors, rejected, allowance } = await this.settings.outageRetry.run(() =>
      this.dryRun(submission),
    );
    return { faults: errors, rejected, ...allowance };
  }

  /** Remembers that a batch has ended, so that it is not canceled. */
  markEnded(id: string): void {
    this.ended.add(id);
  }

  /** Cancels the batches that run, also one that is just being submitted. Returns their records. */
  async cancel(): Promise<BatchRecord[]> {
    await this.submitting.catch(() => undefined);
    const ids = this.batches.flatMap(({ id }) => (id === undefined || this.ended.has(id) ? [] : id));
    const records = await Promise.all(ids.map((id) => this.cancelOne(id)));
    return records.filter((record) => record !== undefined);
  }

  private async cancelOne(id: string): Promise<BatchRecord | undefined> {
    try {
      return await this.settings.client.bulk.cancel(id);
    } catch (error) {
      if (error instanceof CaptureError && error.code === 'job_finished') return undefined;
      throw error;
    }
  }

  private async add(batch: Pick<StateBatch, 'rows' | 'retryOf'>): Promise<SubmittedBatch> {
    this.settings.signal.throwIfAborted();
    const entry = { key: randomUUID(), submittedAt: new Date(Date.now()).toISOString(), ...batch };
    await this.save([...this.batches, entry]);
    return this.send(entry);
  }

  private async send(entry: StateBatch): Promise<SubmittedBatch> {
    const sending = this.settings.outageRetry.run(() => this.post(entry));
    this.submitting = sending.then(({ id }) =>
      this.save(this.batches.map((each) => (each.key === entry.key ? { ...each, id } : each))),
    );
    // Its failure is that of `sending`, or thrown below.
    this.submitting.catch(() => undefined);
    try {
      const { id, errors } = await sending;
      await this.submitting;
      if (errors.length > 0) this.settings.onFaults(errors, this.rowsOf(entry));
      return { ...entry, id };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.save(this.batches.filter(({ key }) => key !== entry.key));
      if (!error.errors.some(isOfList)) throw error;
      throw new RefusedRowsError(error.errors, this.rowsOf(entry), error);
    }
  }

  /** It is not aborted by a signal: whether the service has accepted the batch must be known, to cancel it. */
  private async post({
    key,
    retryOf,
    rows,
  }: StateBatch): Promise<BatchRecord & { readonly errors: readonly FieldError[] }> {
    const { client } = this.settings;
    const call = { idempotencyKey: key };
    if (retryOf !== undefined) {
      return client.bulk.retryFailed(retryOf, { defaults: this.settings.options }, call);
    }
    const submission = submissionOf(this.rowsOf({ rows }));
    return submission.kind === 'csv'
      ? client.bulk.fromCsv(submission.csv, this.terms, call)
      : client.bulk.fromRows(submission.items as BatchItem[], this.terms, call);
  }

  private async dryRun(submission: Submission) {
    const { bulk } = this.settings.client;
    return submission.kind === 'csv'
      ? bulk.dryRunCsv(submission.csv, this.terms)
      : bulk.dryRunRows(submission.items as BatchItem[], this.terms);
  }

  private get terms() {
    const { options, skipInvalid } = this.settings;
    return { defaults: options, on_invalid: skipInvalid ? 'skip' : 'reject' } as const;
  }

  private rowsOf({ rows }: Pick<StateBatch, 'rows'>): SourceRow[] {
    return rows.flatMap((row) => this.settings.rows[row - 1] ?? []);
  }

  private async save(batches: readonly StateBatch[]): Promise<void> {
    this.state = { ...this.state, batches };
    await this.settings.folder.saveState(this.state);
  }
}

/** The answers after which nothing of a submission is stored, also when it was sent before. */
const REFUSALS: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_csv',
  'payload_too_large',
  'headers_too_large',
  'target_forbidden',
  'allowance_exhausted',
]);

function isRefusal(error: unknown): error is CaptureError {
  return error instanceof CaptureError && REFUSALS.has(error.code);
}

/** Whether a fault is in the list: in a row, or in the header of a CSV. Others are in the options of all rows. */
function isOfList({ row, column }: FieldError): boolean {
  return row !== undefined || column !== undefined;
}
