import { CaptureError, type BrokenPage, type CrawlRecord } from '@capture-service/client';
import { BatchFollower } from '../batch/batch-follower.js';
import { BatchProgress } from '../batch/batch-progress.js';
import { BatchReport } from '../batch/batch-report.js';
import { runInterruptible } from '../batch/interruptible.js';
import { OutageRetry } from '../batch/outage-retry.js';
import { csvOf, ndjsonOf } from '../batch/results-files.js';
import { RowDownloads } from '../batch/row-downloads.js';
import { RowIntake } from '../batch/row-intake.js';
import { RowOutcomes } from '../batch/row-outcomes.js';
import { EXIT } from '../context/exit-codes.js';
import { printRecord } from '../terminal/output.js';
import { CrawlFiles } from './crawl-files.js';
import { brokenText, crawlText, MAX_BROKEN_SHOWN, requireWhole, skippedText } from './crawl-text.js';
import { discardCrawl, openCrawl, type CrawlSettings } from './open-crawl.js';

const GO_ON = 'To go on, run the same command again.';

/** One run of `capture crawl` with a folder: from its state to the summary. */
export class CrawlRun {
  private readonly report: BatchReport;
  private readonly controller = new AbortController();
  private readonly outageRetry: OutageRetry;
  private readonly progress = new BatchProgress(0, 0, () => performance.now());
  private hasEnded = false;

  constructor(private readonly settings: CrawlSettings) {
    this.report = new BatchReport(settings.context);
    this.outageRetry = new OutageRetry(this.controller.signal, (isAway) => {
      this.progress.isAway = isAway;
      this.report.reportConnection(isAway);
    });
  }

  async run(): Promise<void> {
    const { signal } = this.settings.context;
    try {
      await runInterruptible(signal, this.controller, () => this.crawl());
    } finally {
      this.report.close();
    }
  }

  private async crawl(): Promise<void> {
    const { context, client, flags } = this.settings;
    // A wrong key, or a service that does not run, is found before the folder belongs to the crawl.
    await client.usage({ signal: this.controller.signal });
    if (flags.restart) await discardCrawl(this.settings);
    const opening = openCrawl(this.settings, this.outageRetry);
    const forget = this.explainOnInterrupt(opening);
    try {
      const crawl = await opening;
      this.controller.signal.throwIfAborted();
      if (!flags.detach) return await this.follow(crawl);
      await printRecord(context, crawl, () => crawlText(crawl));
      this.report.say('To fetch the files, run the same command without --detach.');
    } finally {
      forget();
    }
  }

  private async follow(crawl: CrawlRecord): Promise<void> {
    const { context, client, folder, flags } = this.settings;
    const { controller, outageRetry, progress } = this;
    const downloads = new RowDownloads({ client, folder, outageRetry, signal: controller.signal });
    const outcomes = new RowOutcomes((outcome) => this.report.row(outcome));
    const intake = new RowIntake({ downloads, outcomes, progress, controller }, flags.parallel);
    this.note(crawl);
    this.report.open({ progress, downloads: downloads.current });
    try {
      const [ended] = await Promise.all([this.watch(crawl), this.followRows(crawl, intake)]);
      await intake.idle();
      controller.signal.throwIfAborted();
      await outcomes.finish();
      await this.finish(ended, outcomes);
    } catch (error) {
      controller.abort(error);
      // What is half written is removed before the command ends.
      await intake.idle();
      this.report.close();
      if (!context.signal.aborted && !this.hasEnded) {
        this.report.say(`The service continues with the crawl ${crawl.id}. ${GO_ON}`);
      }
      throw controller.signal.reason;
    }
  }

  private note({ discovered, status, finished_at: finishedAt }: CrawlRecord): void {
    this.progress.total = discovered;
    this.progress.isGrowing = status === 'discovering';
    this.hasEnded = finishedAt !== null;
  }

  /** Shows how many pages are found, up to the end. */
  private watch({ id }: CrawlRecord): Promise<CrawlRecord> {
    const { outageRetry } = this;
    const onProgress = (record: CrawlRecord): void => {
      outageRetry.isBack();
      this.note(record);
    };
    const call = { signal: this.controller.signal };
    return outageRetry.run(() => this.settings.client.crawls.wait(id, { onProgress }, call));
  }

  private async followRows({ batch_id: batchId, same }: CrawlRecord, intake: RowIntake): Promise<void> {
    const files = new CrawlFiles(same === 'domain');
    const follower = new BatchFollower(this.settings.client, batchId ?? '', {
      signal: this.controller.signal,
      outageRetry: this.outageRetry,
      canGrow: true,
      onProgress: (record) => {
        this.progress.batch(record);
      },
      onPage: (records) => {
        files.note(records);
      },
      onRow: (record) =>
        intake.accept({
          // A later row of the page replaces the outcome of one that was refused.
          row: files.firstRowOf(record),
          record,
          batch: record.row ?? 0,
          isFinal: record.status === 'succeeded',
          files: record.status === 'succeeded' ? files.filesOf(record) : [],
        }),
    });
    await follower.follow();
  }

  private async finish(ended: CrawlRecord, outcomes: RowOutcomes): Promise<void> {
    const { context, folder } = this.settings;
    if (ended.status === 'failed') requireWhole(ended);
    const all = outcomes.outcomes();
    await folder.write('results.csv', csvOf(all));
    await folder.write('results.ndjson', ndjsonOf(all));
    const broken = await this.brokenOf(ended);
    this.report.close();
    this.report.summary(all, this.progress, folder);
    const skipped = skippedText(ended);
    if (skipped !== undefined) this.report.say(`Left out: ${skipped}.`);
    if (broken.length > 0) this.report.say(brokenText(broken, ended.id));
    if (ended.status === 'canceled') this.report.say('To begin a new crawl, add --restart.');
    requireWhole(ended);
    if (outcomes.counts.failed + outcomes.counts.canceled > 0) context.exitCode = EXIT.failed;
  }

  private async brokenOf({ id }: CrawlRecord): Promise<BrokenPage[]> {
    const broken: BrokenPage[] = [];
    for await (const page of this.settings.client.crawls.broken(id, { signal: this.controller.signal })) {
      broken.push(page);
      if (broken.length > MAX_BROKEN_SHOWN) break;
    }
    return broken;
  }

  /** A crawl goes on without the command: one that is canceled cannot be continued. */
  private explainOnInterrupt(opening: Promise<CrawlRecord>): () => void {
    return this.settings.context.onInterrupt(async () => {
      this.report.close();
      const crawl = await opening.catch(() => undefined);
      if (!crawl || this.hasEnded) return this.report.say(GO_ON);
      if (this.settings.flags.cancelOnInterrupt) return this.cancel(crawl);
      this.report.say(
        `The service continues with the crawl ${crawl.id}; \`capture crawls cancel ${crawl.id}\` ends it. ${GO_ON}`,
      );
    });
  }

  private async cancel({ id }: CrawlRecord): Promise<void> {
    try {
      await this.settings.client.crawls.cancel(id);
      this.report.say(`The crawl ${id} is canceled. Pages that were not captured are not charged.`);
    } catch (error) {
      if (!(error instanceof CaptureError)) throw error;
      this.report.say(
        `The crawl ${id} could not be canceled: ${error.detail} The service may continue with it.`,
      );
    }
  }
}
