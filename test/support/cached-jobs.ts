import { KNOWN_FEATURES, parseOptions } from '@app/capture';
import {
  AccountingAuditService,
  AttemptsService,
  DispatcherService,
  JobsService,
  SettlementService,
  WorkerRegistryService,
  type Job,
} from '@app/jobs';
import type { AppError } from '@app/kernel';
import type { TestDatabase } from './database.js';
import { startJobs, SUCCESS } from './jobs.js';
import type { ModulesToStart, StartedModules } from './modules.js';

const WORKER = {
  id: 'w',
  busy: 0,
  healthy: 1,
  slots: 5,
  browser: 'x',
  sandbox: true,
  filterLists: [],
  features: KNOWN_FEATURES,
};

/** The options of a page that the cache may answer for. */
export const PAGE = { url: 'https://a.test/', cache_ttl_s: 600 };

/**
 * Jobs that ask for the cache. The test acts as their callers and as the worker. Another account has a capture of the same page
 * with the same options in the cache.
 */
export class CachedJobs {
  accountId = '';

  private constructor(private readonly started: StartedModules) {}

  static async open(more?: ModulesToStart): Promise<CachedJobs> {
    return new CachedJobs(await startJobs(more));
  }

  get app(): StartedModules['app'] {
    return this.started.app;
  }

  get database(): TestDatabase {
    return this.started.database;
  }

  close(): Promise<void> {
    return this.started.close();
  }

  /** Everything that follows belongs to this new account; the other one is new, too. What others had is deleted. */
  async useAccount(allowance = 100): Promise<void> {
    await this.database.query(
      'TRUNCATE jobs, cache_entries, shared_files, concurrency_slots, usage_counters, usage_ledger',
    );
    await this.app.get(WorkerRegistryService).report(WORKER);
    this.accountId = await this.database.addAccount({ allowance: 100, concurrency: 50 });
    await this.keep();
    this.accountId = await this.database.addAccount({ allowance, concurrency: 50 });
  }

  submit(options: object = PAGE, webhookUrl?: string) {
    return this.app.get(JobsService).submit({
      accountId: this.accountId,
      source: 'job',
      options: parseOptions(options),
      ...(webhookUrl !== undefined && { webhookUrl }),
    });
  }

  /** Dispatches until nothing more can be; returns the ids of the jobs in flight, in the order of their acceptance. */
  async dispatch(): Promise<string[]> {
    while ((await this.app.get(DispatcherService).round()) > 0);
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT id FROM jobs WHERE dispatched_at IS NOT NULL AND status = 'queued' AND account_id = $1
        ORDER BY created_at, id`,
      [this.accountId],
    );
    return rows.map(({ id }) => id);
  }

  async claim(id: string): Promise<Job> {
    const job = await this.app.get(AttemptsService).claim(id, WORKER.id);
    if (!job) throw new Error('The job cannot be claimed.');
    return job;
  }

  /** Ends a dispatched job with a file. */
  async succeed(id: string): Promise<void> {
    const job = await this.claim(id);
    const [file] = SUCCESS.files;
    const key = `captures/${id}/${job.attempt}.png`;
    await this.app.get(AttemptsService).succeed(job, { ...SUCCESS, files: [{ ...file, key }] });
  }

  async fail(id: string, error: AppError): Promise<void> {
    await this.app.get(AttemptsService).fail(await this.claim(id), error);
  }

  /** Settles followers, as a worker does after each end; returns how many. */
  settle(): Promise<number> {
    return this.app.get(SettlementService).settleAll(new AbortController().signal);
  }

  /** Makes a capture that the cache keeps; returns its id. */
  async keep(options: object = PAGE): Promise<string> {
    const { job } = await this.submit(options);
    await this.dispatch();
    await this.succeed(job.id);
    return job.id;
  }

  /** Makes the cache take its captures for this much older. */
  async age(seconds: number): Promise<void> {
    const earlier = (column: string) => `${column} = ${column} - ${seconds} * interval '1 s'`;
    await this.database.query(`UPDATE cache_entries SET ${earlier('captured_at')}`);
    await this.database.query(`UPDATE jobs SET ${earlier('finished_at')} WHERE status = 'succeeded'`);
  }

  /** The jobs of the account in the order of their acceptance. */
  async rows(): Promise<JobRow[]> {
    const { rows } = await this.database.query<JobRow>(
      `SELECT id, status, attempt, cache_status AS "cacheStatus", cache_age_s AS "cacheAgeS", origin_id AS "originId",
              follows_id AS "followsId", result_key AS "resultKey", error_code AS "errorCode", batch_id AS "batchId"
         FROM jobs WHERE account_id = $1 ORDER BY created_at, batch_row, id`,
      [this.accountId],
    );
    return rows;
  }

  /** What the account has used, reserved units included, and the number of charges; throws if an audit finds a difference. */
  async usage(): Promise<{ used: number; charged: number }> {
    const found = await this.app.get(AccountingAuditService).run();
    if (found?.length !== 0) {
      throw new Error(`The accounting differs: ${JSON.stringify(found)}`);
    }
    const { rows } = await this.database.query<{ used: number; charged: number }>(
      `SELECT coalesce(sum(used), 0)::int AS used,
              (SELECT count(*)::int FROM usage_ledger WHERE account_id = $1) AS charged
         FROM usage_counters WHERE account_id = $1`,
      [this.accountId],
    );
    return rows[0] ?? { used: 0, charged: 0 };
  }
}

/** A row of `jobs`, as far as the cache decides it. */
export interface JobRow {
  readonly id: string;
  readonly status: Job['status'];
  readonly attempt: number;
  readonly cacheStatus: Job['cacheStatus'];
  readonly cacheAgeS: number | null;
  readonly originId: string | null;
  readonly followsId: string | null;
  readonly resultKey: string | null;
  readonly errorCode: string | null;
  readonly batchId: string | null;
}
