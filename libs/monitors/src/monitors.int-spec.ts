import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseOptions, type ChangeReport } from '@app/capture';
import type { TestDatabase } from '../../../test/support/database.js';
import { startJobs } from '../../../test/support/jobs.js';
import { codeOf, type StartedModules } from '../../../test/support/modules.js';
import { endOpenCapture, type FoundByCapture } from '../../../test/support/open-capture.js';
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
} from './index.js';

const NEVER = new AbortController().signal;
const ALERT: AlertRules = {
  on: ['changed', 'failed', 'recovered'],
  min_ratio: 0,
  confirm: 2,
  ignore_selectors: [],
};
type Json = Record<string, unknown>;
const HOUR_S = 3_600;

describe('monitors', () => {
  let service: StartedModules;
  let database: TestDatabase;
  let monitors: MonitorsService;
  let changes: MonitorChangeService;
  let control: MonitorControlService;
  let records: MonitorRecordsService;
  let scheduler: SchedulerService;
  let outcomes: OutcomeService;
  let accountId: string;

  beforeAll(async () => {
    service = await startJobs({
      imports: [MonitorsModule],
      settings: { MONITORS_PER_ACCOUNT: '3', PUBLIC_URL: 'https://capture.test' },
    });
    ({ database } = service);
    monitors = service.app.get(MonitorsService);
    changes = service.app.get(MonitorChangeService);
    control = service.app.get(MonitorControlService);
    records = service.app.get(MonitorRecordsService);
    scheduler = service.app.get(SchedulerService, { strict: false });
    outcomes = service.app.get(OutcomeService, { strict: false });
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    await database.query('TRUNCATE monitors CASCADE');
    await database.query('DELETE FROM webhook_deliveries');
    accountId = await database.addAccount({ allowance: 1_000, concurrency: 50 });
  });

  const request = (more: Partial<MonitorRequest> = {}): MonitorRequest => ({
    accountId,
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
  const create = async (more: Partial<MonitorRequest> = {}): Promise<string> =>
    (await monitors.create(request(more))).id;
  /** Lets this much of the schedule pass, and the time by which the checks are spread. */
  const pass = async (id: string, seconds: number): Promise<void> => {
    await database.query(
      `UPDATE monitors SET next_due_at = next_due_at - $2 * interval '1 s', next_run_at = next_due_at - $2 * interval '1 s'
        WHERE id = $1`,
      [id, seconds],
    );
    await database.query(
      `UPDATE monitor_checks SET due_at = due_at - $2 * interval '1 s' WHERE monitor_id = $1`,
      [id, seconds],
    );
  };
  /** Runs what is due, as if it had been due for some seconds. */
  const schedule = async (): Promise<number> => {
    await database.query(
      `UPDATE monitors SET next_run_at = next_run_at - interval '5 s' WHERE next_run_at <= now()`,
    );
    return scheduler.runDue(NEVER);
  };
  const checksOf = async (id: string): Promise<readonly CheckRecord[]> =>
    (await records.listChecks({ accountId, id }, {}, { limit: 100, cursor: undefined })).items;
  const jobsOf = async (): Promise<{ id: string; status: string; options: Record<string, unknown> }[]> =>
    (
      await database.query<{ id: string; status: string; options: Record<string, unknown> }>(
        `SELECT id, status, options FROM jobs WHERE account_id = $1 ORDER BY created_at`,
        [accountId],
      )
    ).rows;
  const eventsOf = async (): Promise<string[]> =>
    (
      await database.query<{ type: string }>(
        `SELECT type FROM webhook_deliveries WHERE account_id = $1 ORDER BY created_at, id`,
        [accountId],
      )
    ).rows.map(({ type }) => type);

  /** Ends the open capture, and gives its check an outcome. */
  const endCapture = async (found: FoundByCapture = {}): Promise<void> => {
    await endOpenCapture(service, accountId, found);
    await outcomes.endAll(NEVER);
  };
  const CHANGED = { changed: true, ratio: 0.1 };
  /** A monitor whose page has been captured once. */
  const createKnown = async (more: Partial<MonitorRequest> = {}): Promise<string> => {
    const id = await create(more);
    await schedule();
    await endCapture();
    return id;
  };
  const checkAgain = async (id: string): Promise<void> => {
    await pass(id, HOUR_S);
    await schedule();
  };

  describe('scheduling', () => {
    it('captures a new page at once, and remembers it', async () => {
      const id = await createKnown();
      expect(await checksOf(id)).toMatchObject([
        {
          outcome: 'same',
          reason: 'first',
          trigger: 'schedule',
          missed: 0,
          page: 1,
          url: 'https://example.com/',
        },
      ]);
      expect(await jobsOf()).toMatchObject([{ options: { compare_with: 'previous' } }]);
      expect(await eventsOf()).toEqual([]);
    });

    it('waits some seconds for others to become due, unless none was due before', async () => {
      await schedule();
      expect(await scheduler.runDue(NEVER)).toBe(0);
      await create();
      expect(await scheduler.runDue(NEVER)).toBe(1);
      await create();
      expect(await scheduler.runDue(NEVER)).toBe(0);
      expect(await schedule()).toBe(1);
    });

    it('makes one check of an instant, however many schedulers look for it', async () => {
      const ids = await Promise.all([create(), create(), create()]);
      await Promise.all(Array.from({ length: 8 }, schedule));
      for (const id of ids) expect(await checksOf(id)).toHaveLength(1);
      expect(await jobsOf()).toHaveLength(3);
    });

    it('makes neither check nor capture when its transaction fails, and both the next time', async () => {
      const id = await create();
      await database.query(`ALTER TABLE monitor_checks ADD CONSTRAINT away CHECK (false) NOT VALID`);
      await expect(schedule()).rejects.toThrow();
      expect(await jobsOf()).toEqual([]);
      await database.query(`ALTER TABLE monitor_checks DROP CONSTRAINT away`);
      await schedule();
      expect(await checksOf(id)).toHaveLength(1);
      expect(await jobsOf()).toHaveLength(1);
    });

    it('makes up for the latest of several missed instants, and counts the others', async () => {
      const id = await createKnown();
      await pass(id, 4 * HOUR_S);
      await schedule();
      const [latest, ...others] = await checksOf(id);
      expect(latest).toMatchObject({ missed: 3, outcome: null });
      expect(others).toHaveLength(1);
      await schedule();
      expect(await jobsOf()).toHaveLength(2);
    });

    it('skips an instant while the check before is open', async () => {
      const id = await create();
      await schedule();
      await checkAgain(id);
      const [latest] = await checksOf(id);
      expect(latest).toMatchObject({ outcome: 'skipped', reason: 'overlap' });
      expect(await jobsOf()).toHaveLength(1);
    });

    it('checks several pages under one schedule', async () => {
      const pages = ['a', 'b'].map((name) => parseOptions({ url: `https://example.com/${name}` }));
      const id = await create({ target: { isBatch: true, pages } });
      await schedule();
      expect((await checksOf(id)).map(({ page, url }) => [page, url]).sort()).toEqual([
        [1, 'https://example.com/a'],
        [2, 'https://example.com/b'],
      ]);
    });

    it('pauses with one event when the allowance is at its end', async () => {
      accountId = await database.addAccount({ allowance: 0, concurrency: 5 });
      const id = await create();
      await schedule();
      expect(await records.show(accountId, id)).toMatchObject({ state: 'paused', pause_reason: 'allowance' });
      expect(await checksOf(id)).toMatchObject([{ outcome: 'skipped', reason: 'allowance' }]);
      await pass(id, 5 * HOUR_S);
      await schedule();
      expect(await eventsOf()).toEqual(['monitor.paused']);
    });

    it('ends the check of a page that cannot be captured, and goes on with the others', async () => {
      const id = await create();
      const other = await create();
      await database.query(
        `UPDATE monitor_pages SET options = '{"url":"http://10.0.0.1/"}' WHERE monitor_id = $1`,
        [id],
      );
      await schedule();
      expect(await checksOf(id)).toMatchObject([{ outcome: 'failed', error: { code: 'target_forbidden' } }]);
      expect(await checksOf(other)).toMatchObject([{ outcome: null }]);
      expect(await eventsOf()).toEqual(['monitor.failed']);
    });
  });

  describe('outcomes', () => {
    it('reports a change once a second capture confirms it', async () => {
      const id = await createKnown();
      await checkAgain(id);
      await endCapture({ change: CHANGED });
      expect((await checksOf(id))[0]).toMatchObject({ outcome: null });
      const [first, second, third] = await jobsOf();
      expect(second?.options).toMatchObject({ compare_with: first?.id });
      expect(third?.options).toMatchObject({ compare_with: first?.id, compare_confirms: second?.id });
      await endCapture({ change: { ...CHANGED, summary: 'Price: 1 → 2' } });
      const [check] = await checksOf(id);
      expect(check).toMatchObject({
        outcome: 'changed',
        capture_ids: [second?.id, third?.id],
        change: { summary: 'Price: 1 → 2' },
        files: { before: `/v1/captures/${first?.id}/result`, after: `/v1/captures/${third?.id}/result` },
      });
      expect(await eventsOf()).toEqual(['monitor.changed']);
      await checkAgain(id);
      expect((await jobsOf()).at(-1)?.options).toMatchObject({ compare_with: third?.id });
    });

    it('reports nothing when the change is gone in the second capture', async () => {
      const id = await createKnown();
      await checkAgain(id);
      await endCapture({ change: CHANGED });
      await endCapture({ change: {} });
      expect((await checksOf(id))[0]).toMatchObject({ outcome: 'same', reason: 'unconfirmed' });
      expect(await eventsOf()).toEqual([]);
    });

    it('reports nothing where the page has recently differed from itself, and a change elsewhere', async () => {
      const id = await createKnown();
      const slide = { x: 0, y: 0, width: 400, height: 100 };
      const price = { x: 0, y: 300, width: 40, height: 12 };
      const checkWith = async (change: Partial<ChangeReport>): Promise<CheckRecord | undefined> => {
        await checkAgain(id);
        await endCapture({ change: CHANGED });
        await endCapture({ change });
        return (await checksOf(id))[0];
      };
      expect(await checkWith({ noise: [slide] })).toMatchObject({ outcome: 'same' });
      expect(await checkWith({ ...CHANGED, boxes: [slide] })).toMatchObject({
        outcome: 'same',
        reason: 'unconfirmed',
      });
      expect(await checkWith({ ...CHANGED, boxes: [slide, price] })).toMatchObject({ outcome: 'changed' });
    });

    it('ignores pages that are no pages, and changes that are too small', async () => {
      const id = await createKnown({ alert: { ...ALERT, min_ratio: 0.5 } });
      await checkAgain(id);
      await endCapture({ change: CHANGED, verdict: { kind: 'bot_wall', evidence: [] } as never });
      expect((await checksOf(id))[0]).toMatchObject({ outcome: 'ignored', reason: 'verdict' });
      await checkAgain(id);
      await endCapture({ change: CHANGED });
      expect((await checksOf(id))[0]).toMatchObject({ outcome: 'same', reason: 'small' });
      expect(await eventsOf()).toEqual([]);
    });

    it('tells of a failure once, of the recovery, and pauses after too many', async () => {
      const id = await createKnown();
      for (let i = 0; i < 2; i += 1) {
        await checkAgain(id);
        await endCapture({ fails: true });
      }
      await checkAgain(id);
      await endCapture();
      expect(await eventsOf()).toEqual(['monitor.failed', 'monitor.recovered']);
      for (let i = 0; i < 3; i += 1) {
        await checkAgain(id);
        await endCapture({ fails: true });
      }
      expect(await records.show(accountId, id)).toMatchObject({ state: 'paused', pause_reason: 'failures' });
      expect((await eventsOf()).slice(2)).toEqual(['monitor.failed', 'monitor.paused']);
    });

    it('gives a check one outcome, however many processes look for it', async () => {
      const id = await createKnown({ alert: { ...ALERT, confirm: 1 } });
      await checkAgain(id);
      const end = outcomes.endAll.bind(outcomes);
      outcomes.endAll = async () => 0;
      await endCapture({ change: CHANGED });
      outcomes.endAll = end;
      await Promise.all(Array.from({ length: 8 }, () => outcomes.endAll(NEVER)));
      expect((await checksOf(id))[0]).toMatchObject({ outcome: 'changed' });
      expect(await eventsOf()).toEqual(['monitor.changed']);
    });

    it('keeps the files that its rules say, and those that it compares with', async () => {
      const id = await createKnown();
      for (let i = 0; i < 3; i += 1) {
        await checkAgain(id);
        await endCapture();
      }
      const { rows } = await database.query<{ kept: boolean }>(
        `SELECT expires_at > clock_timestamp() AS kept FROM jobs WHERE account_id = $1 ORDER BY created_at`,
        [accountId],
      );
      expect(rows.map(({ kept }) => kept)).toEqual([true, false, false, true]);
    });
  });

  describe('changing', () => {
    it('refuses more monitors than the account may have, also at once', async () => {
      const made = await Promise.allSettled(Array.from({ length: 6 }, () => create()));
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      const [refused] = made.filter((one) => one.status === 'rejected');
      expect(codeOf(refused?.reason)).toBe('limit_reached');
    });

    it('knows only the monitors of the account', async () => {
      const id = await create();
      const stranger = await database.addAccount();
      for (const call of [
        () => records.show(stranger, id),
        () => records.remove(stranger, id),
        () => records.listChecks({ accountId: stranger, id }, {}, { limit: 1, cursor: undefined }),
        () => control.run({ accountId: stranger, id }),
        () => control.pause({ accountId: stranger, id }),
        () => control.resume({ accountId: stranger, id }),
        () => changes.change(stranger, id, { name: 'mine' }),
      ]) {
        expect(await call().then(() => 'done', codeOf)).toBe('not_found');
      }
      expect(await records.show(accountId, id)).toMatchObject({ name: 'prices', state: 'active' });
    });

    it('stands for the instants that passed while it was paused with one skipped check', async () => {
      const id = await createKnown();
      await control.pause({ accountId, id });
      await pass(id, 3 * HOUR_S);
      await schedule();
      expect(await checksOf(id)).toHaveLength(1);
      await control.resume({ accountId, id });
      expect((await checksOf(id))[0]).toMatchObject({ outcome: 'skipped', reason: 'paused', missed: 2 });
      await schedule();
      expect(await jobsOf()).toHaveLength(1);
      expect(await eventsOf()).toEqual(['monitor.paused']);
    });

    it('checks nothing by its schedule while it is paused, also when another one is due', async () => {
      const [paused, other] = [await create(), await create()];
      await control.pause({ accountId, id: paused });
      for (const id of [paused, other]) await pass(id, 2 * HOUR_S);
      expect(await schedule()).toBe(1);
      expect([await checksOf(paused), (await checksOf(other)).length]).toEqual([[], 1]);
    });

    it('checks when it is asked to, also while it is paused', async () => {
      const id = await createKnown();
      await control.pause({ accountId, id });
      await control.run({ accountId, id });
      await control.run({ accountId, id });
      expect((await checksOf(id)).map(({ trigger, reason }) => [trigger, reason])).toEqual([
        ['request', 'overlap'],
        ['request', null],
        ['schedule', 'first'],
      ]);
    });

    it('tells people in words, with small pictures of the part that changed', async () => {
      const id = await createKnown({
        receivers: [
          { type: 'slack', address: 'https://hooks.slack.example/T0/secret' },
          { type: 'email', address: 'ada@people.test' },
        ],
        alert: { ...ALERT, confirm: 1 },
      });
      const boxes = [
        { x: 0, y: 10, width: 5, height: 5 },
        { x: 0, y: 2_000, width: 50, height: 20 },
      ];
      await checkAgain(id);
      await endCapture({ change: { ...CHANGED, boxes, summary: 'Price: €149 → €139' } });
      const { rows } = await database.query<{ channel: string; url: string; body: string }>(
        `SELECT channel, url, body FROM webhook_deliveries WHERE subject_id = $1 ORDER BY id`,
        [id],
      );
      const bodies = new Map(rows.map(({ channel, body }) => [channel, body]));
      expect([...bodies.keys()]).toEqual(['webhook', 'slack', 'email']);
      const { data } = JSON.parse(bodies.get('webhook') ?? '') as { data: Json };
      expect(data).toMatchObject({
        check: {
          files: {
            diff: expect.stringMatching(/^https:\/\/capture\.test\/v1\/files\/[^/]+\/diff\?expires=/),
          },
        },
        pictures: { marked: expect.stringContaining('&small=2010&signature=v1.') },
      });
      expect(bodies.get('slack')).toContain('prices has changed: Price: €149 → €139');
      expect(bodies.get('slack')).toContain('&small=2010&signature=v1.');
      expect(bodies.get('email')).toContain('"subject":"prices has changed: Price: €149 → €139"');
    });

    it('shows of an address only what tells it apart, and forgets it when it is replaced', async () => {
      const id = await createKnown({
        receivers: [
          { type: 'teams', address: 'https://hooks.teams.example/secret' },
          { type: 'email', address: 'ada@people.test' },
        ],
      });
      expect((await records.show(accountId, id)).notify).toEqual([
        {
          type: 'teams',
          url: expect.stringMatching(/^https:\/\/hooks\.teams\.example\/\[redacted\]#[0-9a-f]{12}$/),
        },
        { type: 'email', to: 'a…@people.test' },
      ]);
      await changes.change(accountId, id, { name: 'other' });
      expect((await records.show(accountId, id)).notify).toHaveLength(2);
      await changes.change(accountId, id, { receivers: [] });
      expect((await records.show(accountId, id)).notify).toEqual([]);
      const { rows } = await database.query(`SELECT receivers FROM monitors WHERE id = $1`, [id]);
      expect(rows).toEqual([{ receivers: null }]);
    });

    it.each(['before', 'after'] as const)(
      'forgets the words of the capture %s when that is deleted, also in messages',
      async (which) => {
        const receivers = [{ type: 'slack', address: 'https://hooks.slack.example/a' }] as const;
        const id = await createKnown({ alert: { ...ALERT, confirm: 1 }, receivers });
        await checkAgain(id);
        const lines = [{ before: 'Hello Ada', after: 'Hello Bob', removed: 'Ada', added: 'Bob' }];
        await endCapture({ change: { ...CHANGED, lines, summary: 'Ada → Bob' } });
        const messages = `SELECT type, row_to_json(delivery)::text AS text FROM webhook_deliveries AS delivery`;
        const { rows: before } = await database.query<{ text: string }>(messages);
        expect(before.map(({ text }) => text.includes('Bob'))).toEqual([true, true]);
        const [first, second] = await jobsOf();
        const { id: deleted } = (which === 'before' ? first : second) ?? {};
        const delivered = `UPDATE webhook_deliveries SET state = 'delivered', finished_at = now() WHERE channel = 'webhook'`;
        await database.query(delivered);
        await database.query(`UPDATE jobs SET deleted_at = now() WHERE id = $1`, [deleted]);
        expect((await checksOf(id))[0]).toMatchObject({
          outcome: 'changed',
          change: { ratio: 0.1, lines: [], summary: null },
        });
        const { rows: left } = await database.query<{ text: string }>(messages);
        expect(left).toMatchObject([{ type: 'monitor.changed', text: expect.stringContaining('10 %') }]);
        expect(left[0]?.text).not.toMatch(/Ada|Bob/);
      },
    );

    it('forgets how the page was when it watches another one', async () => {
      const id = await createKnown();
      await checkAgain(id);
      const pages = [parseOptions({ url: 'https://example.com/other', headers: { 'X-A': 'secret' } })];
      await changes.change(accountId, id, { target: { isBatch: false, pages }, alert: { confirm: 1 } });
      expect((await checksOf(id))[0]).toMatchObject({ outcome: 'skipped', reason: 'replaced' });
      expect(await records.show(accountId, id)).toMatchObject({
        capture: { url: 'https://example.com/other', headers: '[redacted]' },
        alert: { ...ALERT, confirm: 1 },
      });
      await checkAgain(id);
      expect((await jobsOf()).at(-1)?.options).toMatchObject({
        compare_with: 'previous',
        headers: '[redacted]',
      });
    });

    it('deletes its checks with it', async () => {
      const id = await createKnown();
      await records.remove(accountId, id);
      const { rows } = await database.query(`SELECT 1 FROM monitor_checks WHERE monitor_id = $1`, [id]);
      expect(rows).toEqual([]);
      expect(await records.show(accountId, id).then(() => 'found', codeOf)).toBe('not_found');
    });
  });
});
