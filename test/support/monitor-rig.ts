import { parseOptions } from '@app/capture';
import {
  MonitorChangeService,
  MonitorControlService,
  MonitorRecordsService,
  MonitorsModule,
  MonitorsService,
  OutcomeService,
  SchedulerService,
  type AlertRules,
  type CheckRecord,
  type MonitorRequest,
} from '@app/monitors';
import type { TestDatabase } from './database.js';
import { startJobs } from './jobs.js';
import type { StartedModules } from './modules.js';
import { endOpenCapture, type FoundByCapture } from './open-capture.js';

export const NEVER = new AbortController().signal;
export const HOUR_S = 3_600;
/** The first check of a page captures it this often. */
export const FIRST_CAPTURES = 3;
export const CHANGED = { changed: true, ratio: 0.1 };
export const ALERT: AlertRules = {
  on: ['changed', 'failed', 'recovered'],
  min_ratio: 0,
  confirm: 2,
  ignore_selectors: [],
};

interface CapturedJob {
  readonly id: string;
  readonly status: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The modules of monitors on a database, with one account at a time, whose time and captures a spec makes pass. */
export class MonitorRig {
  /** That of the running spec. */
  accountId = '';
  readonly database: TestDatabase;
  readonly monitors: MonitorsService;
  readonly changes: MonitorChangeService;
  readonly control: MonitorControlService;
  readonly records: MonitorRecordsService;
  readonly scheduler: SchedulerService;
  readonly outcomes: OutcomeService;

  private constructor(private readonly service: StartedModules) {
    const { app, database } = service;
    this.database = database;
    this.monitors = app.get(MonitorsService);
    this.changes = app.get(MonitorChangeService);
    this.control = app.get(MonitorControlService);
    this.records = app.get(MonitorRecordsService);
    this.scheduler = app.get(SchedulerService, { strict: false });
    this.outcomes = app.get(OutcomeService, { strict: false });
  }

  static async open(): Promise<MonitorRig> {
    const settings = { MONITORS_PER_ACCOUNT: '3', PUBLIC_URL: 'https://capture.test' };
    return new MonitorRig(await startJobs({ imports: [MonitorsModule], settings }));
  }

  close(): Promise<void> {
    return this.service.close();
  }

  /** Begins with another account, and without monitors. */
  async reset(): Promise<void> {
    await this.database.query('TRUNCATE monitors CASCADE');
    await this.database.query('DELETE FROM webhook_deliveries');
    this.accountId = await this.database.addAccount({ allowance: 1_000, concurrency: 50 });
  }

  readonly request = (more: Partial<MonitorRequest> = {}): MonitorRequest => ({
    accountId: this.accountId,
    name: 'prices',
    schedule: { everyS: HOUR_S },
    target: { isBatch: false, pages: [parseOptions({ url: 'https://example.com/' })] },
    alert: ALERT,
    keep: { unchanged: 1, changed: 2 },
    pauseAfterFailures: 3,
    webhookUrl: 'https://hooks.example/in',
    receivers: [],
    idempotency: undefined,
    ...more,
  });

  readonly create = async (more: Partial<MonitorRequest> = {}): Promise<string> =>
    (await this.monitors.create(this.request(more))).id;

  /** Lets this much of the schedule pass, and the time by which the checks are spread. */
  readonly pass = async (id: string, seconds: number): Promise<void> => {
    await this.database.query(
      `UPDATE monitors SET next_due_at = next_due_at - $2 * interval '1 s', next_run_at = next_due_at - $2 * interval '1 s'
        WHERE id = $1`,
      [id, seconds],
    );
    // In two steps, as a check that is moved must not meet the instant of one that is not moved yet.
    for (const by of [`- interval '100 years'`, `+ interval '100 years' - $2 * interval '1 s'`]) {
      await this.database.query(
        `UPDATE monitor_checks SET due_at = due_at ${by} WHERE monitor_id = $1 AND $2::integer > 0`,
        [id, seconds],
      );
    }
  };

  readonly schedule = (): Promise<number> => this.scheduler.runDue(NEVER);

  readonly checksOf = async (id: string): Promise<readonly CheckRecord[]> => {
    const page = { limit: 100, cursor: undefined };
    return (await this.records.listChecks({ accountId: this.accountId, id }, {}, page)).items;
  };

  readonly jobsOf = async (): Promise<CapturedJob[]> => {
    const { rows } = await this.database.query<CapturedJob>(
      `SELECT id, status, options FROM jobs WHERE account_id = $1 ORDER BY created_at`,
      [this.accountId],
    );
    return rows;
  };

  readonly eventsOf = async (): Promise<string[]> => {
    const { rows } = await this.database.query<{ type: string }>(
      `SELECT type FROM webhook_deliveries WHERE account_id = $1 ORDER BY created_at, id`,
      [this.accountId],
    );
    return rows.map(({ type }) => type);
  };

  /** Ends the open capture, and gives its check an outcome if it was the last one. */
  readonly endCapture = async (found: FoundByCapture = {}): Promise<void> => {
    await endOpenCapture(this.service, this.accountId, found);
    await this.outcomes.endAll(NEVER);
  };

  /** A monitor whose page has been checked once. */
  readonly createKnown = async (more: Partial<MonitorRequest> = {}): Promise<string> => {
    const id = await this.create(more);
    await this.schedule();
    do await this.endCapture();
    while (await this.hasOpenCheck());
    return id;
  };

  readonly checkAgain = async (id: string): Promise<void> => {
    await this.pass(id, HOUR_S);
    await this.schedule();
  };

  private async hasOpenCheck(): Promise<boolean> {
    const open = `SELECT 1 FROM monitor_checks WHERE account_id = $1 AND outcome IS NULL`;
    return (await this.database.query(open, [this.accountId])).rows.length > 0;
  }
}
