import { CaptureError, type BatchRecord, type FieldError } from '@capture-service/client';
import { EXIT } from '../context/exit-codes.js';
import { write } from '../terminal/output.js';
import { planOf, type Submission } from './batch-plan.js';
import { BatchProgress } from './batch-progress.js';
import { BatchReport } from './batch-report.js';
import { BatchRun } from './batch-run.js';
import { BatchSubmitter, RefusedRowsError } from './batch-submitter.js';
import { checkPlan, refusedRows } from './check-plan.js';
import { runInterruptible } from './interruptible.js';
import { discardBatches, openState } from './open-state.js';
import type { ListSettings } from './list-settings.js';
import { OutageRetry } from './outage-retry.js';
import { readable } from './read-lists.js';
import { csvOf, ndjsonOf } from './results-files.js';
import { RowDownloads } from './row-downloads.js';
import { RowOutcomes } from './row-outcomes.js';
import type { SourceRow } from './source-rows.js';

/** The states of a batch whose rows have all ended. */
const OVER: ReadonlySet<string> = new Set(['completed', 'canceled']);

const GO_ON = 'To go on, run the same command again.';

/** One run of the command over a list: from the state of the folder to the summary. */
export class ListRun {
  private readonly report: BatchReport;
  private readonly controller = new AbortController();
  private readonly outageRetry: OutageRetry;
  private progress: BatchProgress | undefined;

  constructor(private readonly settings: ListSettings) {
    this.report = new BatchReport(settings.context);
    this.outageRetry = new OutageRetry(this.controller.signal, (isAway) => {
      this.noteConnection(isAway);
    });
  }

  async run(): Promise<void> {
    const { signal } = this.settings.context;
    try {
      await runInterruptible(signal, this.controller, () => this.capture());
    } finally {
      this.report.close();
    }
  }

  private noteConnection(isAway: boolean): void {
    if (this.progress) this.progress.isAway = isAway;
    this.report.reportConnection(isAway);
  }

  private async capture(): Promise<void> {
    const { folder, rows, flags } = this.settings;
    const plan = readable(() => planOf(rows, this.defaultBytes));
    // A wrong key, or a service that does not run, is found before the folder belongs to the list.
    await this.settings.client.usage({ signal: this.controller.signal });
    if (flags.restart) await discardBatches(this.settings);
    const { state, isNew } = await openState(this.settings, plan);
    const submitter = new BatchSubmitter({ ...this.settings, ...this.submission }, state);
    const known = new Set(state.batches.flatMap((batch) => batch.rows));
    const missing = planOf(
      rows.filter(({ row }) => !known.has(row)),
      this.defaultBytes,
    );
    try {
      if (isNew && missing.length > 1) await checkPlan(submitter, missing, flags.skipInvalid === true);
      if (flags.detach) await this.detach(submitter, missing);
      else await this.follow(submitter, missing, isNew);
    } catch (error) {
      if (submitter.batches.length === 0) await folder.removeState();
      if (!(error instanceof RefusedRowsError)) throw error;
      throw refusedRows(this.report.faults(error.faults, error.rows, error.isPartial), error.isPartial);
    }
  }

  private get defaultBytes(): number {
    return Buffer.byteLength(JSON.stringify(this.settings.options));
  }

  private get submission() {
    return {
      outageRetry: this.outageRetry,
      signal: this.controller.signal,
      skipInvalid: this.settings.flags.skipInvalid === true,
      onFaults: (faults: readonly FieldError[], rows: readonly SourceRow[]) => {
        this.report.faults(faults, rows);
      },
    };
  }

  private async detach(submitter: BatchSubmitter, missing: readonly Submission[]): Promise<void> {
    const { context, client } = this.settings;
    const forget = this.cancelOnInterrupt(submitter);
    const ids: string[] = [];
    for (const batch of submitter.batches) ids.push((await submitter.finish(batch)).id);
    for (const submission of missing) ids.push((await submitter.submit(submission)).id);
    forget();
    for (const id of ids) {
      const batch = await this.outageRetry.run(() => client.bulk.get(id, { signal: this.controller.signal }));
      this.report.say(`Batch ${id} with ${batch.total} rows is ${batch.status} at the service.`);
      if (context.json || !context.isTTY) await write(context, `${JSON.stringify(batch)}\n`);
    }
    this.report.say('To fetch the files, run the same command without --detach.');
  }

  private async follow(
    submitter: BatchSubmitter,
    missing: readonly Submission[],
    isNew: boolean,
  ): Promise<void> {
    const { client, folder, rows, flags } = this.settings;
    const unsubmitted = missing.reduce((sum, submission) => sum + submission.rows.length, 0);
    const progress = (this.progress = new BatchProgress(rows.length, unsubmitted, () => performance.now()));
    const { outageRetry, controller } = this;
    const downloads = new RowDownloads({ client, folder, outageRetry, signal: controller.signal });
    const outcomes = new RowOutcomes((outcome) => this.report.row(outcome));
    const retriesFailed = flags.retryFailed === true && !isNew && (await this.hasEnded(submitter, missing));
    const forget = this.cancelOnInterrupt(submitter);
    this.report.open({ progress, downloads: downloads.current });
    const parts = { client, submitter, downloads, outcomes, progress, outageRetry, controller };
    const run = new BatchRun(parts, {
      parallel: flags.parallel,
      retriesFailed,
      defaultBytes: this.defaultBytes,
    });
    try {
      await run.run(missing, rows);
    } catch (error) {
      this.report.close();
      const isInterrupted = this.settings.context.signal.aborted;
      if (!isInterrupted && submitter.batches.length > 0) this.report.say(this.stopped(submitter));
      throw error;
    } finally {
      forget();
    }
    await this.finish(outcomes, progress);
  }

  /** Failed rows are captured again when all others have ended, so that a retry that was interrupted goes on first. */
  private async hasEnded(submitter: BatchSubmitter, missing: readonly Submission[]): Promise<boolean> {
    if (missing.length > 0) return false;
    for (const { id } of submitter.batches) {
      if (id === undefined) return false;
      const { status } = await this.outageRetry.run(() => this.settings.client.bulk.get(id));
      if (!OVER.has(status)) return false;
    }
    return true;
  }

  private async finish(outcomes: RowOutcomes, progress: BatchProgress): Promise<void> {
    const { context, folder } = this.settings;
    const all = outcomes.outcomes();
    await folder.write('results.csv', csvOf(all));
    await folder.write('results.ndjson', ndjsonOf(all));
    this.report.close();
    this.report.summary(all, progress, folder);
    const { failed, canceled } = progress.counts;
    if (failed + canceled === 0) return;
    context.exitCode = EXIT.failed;
    if (canceled > 0) this.report.say(`${canceled} rows were canceled. ${GO_ON}`);
    else if (all.some(({ error }) => error !== null && error.code !== 'invalid_request')) {
      this.report.say('To capture the failed rows again, add --retry-failed to the command.');
    }
  }

  private stopped(submitter: BatchSubmitter): string {
    const ids = submitter.batches.flatMap(({ id }) => id ?? []);
    const runs = ids.length === 0 ? '' : `The service continues with batch ${ids.join(', ')}. `;
    return `${runs}${GO_ON}`;
  }

  /** Ctrl-C cancels what runs. Rows that have not ended are not charged. */
  private cancelOnInterrupt(submitter: BatchSubmitter): () => void {
    return this.settings.context.onInterrupt(async () => {
      this.report.close();
      try {
        const records = await submitter.cancel();
        this.report.say(canceledText(records));
      } catch (error) {
        if (!(error instanceof CaptureError)) throw error;
        const ids = submitter.batches.flatMap(({ id }) => id ?? []).join(' ');
        this.report.say(
          `The rows could not be canceled: ${error.detail} The service may continue with them (batch ${ids}). ${GO_ON}`,
        );
      }
    });
  }
}

function canceledText(records: readonly BatchRecord[]): string {
  const canceled = records.reduce((sum, { counts }) => sum + counts.canceled, 0);
  return canceled === 0 ? GO_ON : `${canceled} rows are canceled and not charged. ${GO_ON}`;
}
