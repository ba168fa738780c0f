import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseOptions } from '@app/capture';
import { codeOf } from '../../../test/support/modules.js';
import {
  ALERT,
  CHANGED,
  FIRST_CAPTURES,
  HOUR_S,
  NEVER,
  MonitorRig,
} from '../../../test/support/monitor-rig.js';

type Json = Record<string, unknown>;

describe('monitors', () => {
  let rig: MonitorRig;

  beforeAll(async () => {
    rig = await MonitorRig.open();
  });

  afterAll(() => rig.close());

  beforeEach(() => rig.reset());

  describe('scheduling', () => {
    it('captures a new page at once, and remembers it', async () => {
      const id = await rig.createKnown();
      expect(await rig.checksOf(id)).toMatchObject([
        {
          outcome: 'same',
          reason: 'first',
          trigger: 'schedule',
          missed: 0,
          page: 1,
          url: 'https://example.com/',
        },
      ]);
      const jobs = await rig.jobsOf();
      expect(jobs).toHaveLength(FIRST_CAPTURES);
      expect(jobs[0]).toMatchObject({ options: { compare_with: 'previous' } });
      expect(await rig.eventsOf()).toEqual([]);
    });

    it('takes a first monitor at once, and waits some seconds for others to become due after it', async () => {
      const started = await MonitorRig.open();
      try {
        await started.reset();
        await started.create();
        expect(await started.scheduler.tick(NEVER)).toBe(1);
        await started.create();
        expect(await started.scheduler.tick(NEVER)).toBe(0);
        expect(await started.schedule()).toBe(1);
      } finally {
        await started.close();
      }
    });

    it('makes one check of an instant, however many schedulers look for it', async () => {
      const ids = await Promise.all([rig.create(), rig.create(), rig.create()]);
      await Promise.all(Array.from({ length: 8 }, rig.schedule));
      for (const id of ids) expect(await rig.checksOf(id)).toHaveLength(1);
      expect(await rig.jobsOf()).toHaveLength(3);
    });

    it('makes neither check nor capture when its transaction fails, and both the next time', async () => {
      const id = await rig.create();
      await rig.database.query(`ALTER TABLE monitor_checks ADD CONSTRAINT away CHECK (false) NOT VALID`);
      await expect(rig.schedule()).rejects.toThrow();
      expect(await rig.jobsOf()).toEqual([]);
      await rig.database.query(`ALTER TABLE monitor_checks DROP CONSTRAINT away`);
      await rig.schedule();
      expect(await rig.checksOf(id)).toHaveLength(1);
      expect(await rig.jobsOf()).toHaveLength(1);
    });

    it('makes up for the latest of several missed instants, and counts the others', async () => {
      const id = await rig.createKnown();
      await rig.pass(id, 4 * HOUR_S);
      await rig.schedule();
      const [latest, ...others] = await rig.checksOf(id);
      expect(latest).toMatchObject({ missed: 3, outcome: null });
      expect(others).toHaveLength(1);
      await rig.schedule();
      expect(await rig.jobsOf()).toHaveLength(FIRST_CAPTURES + 1);
    });

    it('skips an instant while the check before is open', async () => {
      const id = await rig.create();
      await rig.schedule();
      await rig.checkAgain(id);
      const [latest] = await rig.checksOf(id);
      expect(latest).toMatchObject({ outcome: 'skipped', reason: 'overlap' });
      expect(await rig.jobsOf()).toHaveLength(1);
    });

    it('checks several pages under one schedule', async () => {
      const pages = ['a', 'b'].map((name) => parseOptions({ url: `https://example.com/${name}` }));
      const id = await rig.create({ target: { isBatch: true, pages } });
      await rig.schedule();
      expect((await rig.checksOf(id)).map(({ page, url }) => [page, url]).sort()).toEqual([
        [1, 'https://example.com/a'],
        [2, 'https://example.com/b'],
      ]);
    });

    it('pauses with one event when the allowance is at its end', async () => {
      rig.accountId = await rig.database.addAccount({ allowance: 0, concurrency: 5 });
      const id = await rig.create();
      await rig.schedule();
      expect(await rig.records.show(rig.accountId, id)).toMatchObject({
        state: 'paused',
        pause_reason: 'allowance',
      });
      expect(await rig.checksOf(id)).toMatchObject([{ outcome: 'skipped', reason: 'allowance' }]);
      await rig.pass(id, 5 * HOUR_S);
      await rig.schedule();
      expect(await rig.eventsOf()).toEqual(['monitor.paused']);
    });

    it('ends the check of a page that cannot be captured, and goes on with the others', async () => {
      const id = await rig.create();
      const other = await rig.create();
      await rig.database.query(
        `UPDATE monitor_pages SET options = '{"url":"http://10.0.0.1/"}' WHERE monitor_id = $1`,
        [id],
      );
      await rig.schedule();
      expect(await rig.checksOf(id)).toMatchObject([
        { outcome: 'failed', error: { code: 'target_forbidden' } },
      ]);
      expect(await rig.checksOf(other)).toMatchObject([{ outcome: null }]);
      expect(await rig.eventsOf()).toEqual(['monitor.failed']);
    });
  });

  describe('changing', () => {
    it('refuses more monitors than the account may have, also at once', async () => {
      const made = await Promise.allSettled(Array.from({ length: 6 }, () => rig.create()));
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      const [refused] = made.filter((one) => one.status === 'rejected');
      expect(codeOf(refused?.reason)).toBe('limit_reached');
    });

    it('knows only the monitors of the account', async () => {
      const id = await rig.create();
      const stranger = await rig.database.addAccount();
      for (const call of [
        () => rig.records.show(stranger, id),
        () => rig.records.remove(stranger, id),
        () => rig.records.listChecks({ accountId: stranger, id }, {}, { limit: 1, cursor: undefined }),
        () => rig.control.run({ accountId: stranger, id }),
        () => rig.control.pause({ accountId: stranger, id }),
        () => rig.control.resume({ accountId: stranger, id }),
        () => rig.changes.change(stranger, id, { name: 'mine' }),
      ]) {
        expect(await call().then(() => 'done', codeOf)).toBe('not_found');
      }
      expect(await rig.records.show(rig.accountId, id)).toMatchObject({ name: 'prices', state: 'active' });
    });

    it('stands for the instants that passed while it was paused with one skipped check', async () => {
      const id = await rig.createKnown();
      await rig.control.pause({ accountId: rig.accountId, id });
      await rig.pass(id, 3 * HOUR_S);
      await rig.schedule();
      expect(await rig.checksOf(id)).toHaveLength(1);
      await rig.control.resume({ accountId: rig.accountId, id });
      expect((await rig.checksOf(id))[0]).toMatchObject({ outcome: 'skipped', reason: 'paused', missed: 2 });
      await rig.schedule();
      expect(await rig.jobsOf()).toHaveLength(FIRST_CAPTURES);
      expect(await rig.eventsOf()).toEqual(['monitor.paused']);
    });

    it('checks nothing by its schedule while it is paused, also when another one is due', async () => {
      const [paused, other] = [await rig.create(), await rig.create()];
      await rig.control.pause({ accountId: rig.accountId, id: paused });
      for (const id of [paused, other]) await rig.pass(id, 2 * HOUR_S);
      expect(await rig.schedule()).toBe(1);
      expect([await rig.checksOf(paused), (await rig.checksOf(other)).length]).toEqual([[], 1]);
    });

    it('checks when it is asked to, also while it is paused', async () => {
      const id = await rig.createKnown();
      await rig.control.pause({ accountId: rig.accountId, id });
      await rig.control.run({ accountId: rig.accountId, id });
      await rig.control.run({ accountId: rig.accountId, id });
      expect((await rig.checksOf(id)).map(({ trigger, reason }) => [trigger, reason])).toEqual([
        ['request', 'overlap'],
        ['request', null],
        ['schedule', 'first'],
      ]);
    });

    it('tells people in words, with small pictures of the part that changed', async () => {
      const id = await rig.createKnown({
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
      await rig.checkAgain(id);
      await rig.endCapture({ change: { ...CHANGED, boxes, summary: 'Price: €149 → €139' } });
      const { rows } = await rig.database.query<{ channel: string; url: string; body: string }>(
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
      const id = await rig.createKnown({
        receivers: [
          { type: 'teams', address: 'https://hooks.teams.example/secret' },
          { type: 'email', address: 'ada@people.test' },
        ],
      });
      expect((await rig.records.show(rig.accountId, id)).notify).toEqual([
        {
          type: 'teams',
          url: expect.stringMatching(/^https:\/\/hooks\.teams\.example\/\[redacted\]#[0-9a-f]{12}$/),
        },
        { type: 'email', to: 'a…@people.test' },
      ]);
      await rig.changes.change(rig.accountId, id, { name: 'other' });
      expect((await rig.records.show(rig.accountId, id)).notify).toHaveLength(2);
      await rig.changes.change(rig.accountId, id, { receivers: [] });
      expect((await rig.records.show(rig.accountId, id)).notify).toEqual([]);
      const { rows } = await rig.database.query(`SELECT receivers FROM monitors WHERE id = $1`, [id]);
      expect(rows).toEqual([{ receivers: null }]);
    });

    it.each(['before', 'after'] as const)(
      'forgets the words of the capture %s when that is deleted, also in messages',
      async (which) => {
        const receivers = [{ type: 'slack', address: 'https://hooks.slack.example/a' }] as const;
        const id = await rig.createKnown({ alert: { ...ALERT, confirm: 1 }, receivers });
        await rig.checkAgain(id);
        const lines = [{ before: 'Hello Ada', after: 'Hello Bob', removed: 'Ada', added: 'Bob' }];
        await rig.endCapture({ change: { ...CHANGED, lines, summary: 'Ada → Bob' } });
        const messages = `SELECT type, row_to_json(delivery)::text AS text FROM webhook_deliveries AS delivery`;
        const { rows: before } = await rig.database.query<{ text: string }>(messages);
        expect(before.map(({ text }) => text.includes('Bob'))).toEqual([true, true]);
        const [first, second] = await rig.jobsOf();
        const { id: deleted } = (which === 'before' ? first : second) ?? {};
        const delivered = `UPDATE webhook_deliveries SET state = 'delivered', finished_at = now() WHERE channel = 'webhook'`;
        await rig.database.query(delivered);
        await rig.database.query(`UPDATE jobs SET deleted_at = now() WHERE id = $1`, [deleted]);
        expect((await rig.checksOf(id))[0]).toMatchObject({
          outcome: 'changed',
          change: { ratio: 0.1, lines: [], summary: null },
        });
        const { rows: left } = await rig.database.query<{ text: string }>(messages);
        expect(left).toMatchObject([{ type: 'monitor.changed', text: expect.stringContaining('10 %') }]);
        expect(left[0]?.text).not.toMatch(/Ada|Bob/);
      },
    );

    it('forgets how the page was when it watches another one', async () => {
      const id = await rig.createKnown();
      await rig.checkAgain(id);
      const pages = [parseOptions({ url: 'https://example.com/other', headers: { 'X-A': 'secret' } })];
      await rig.changes.change(rig.accountId, id, {
        target: { isBatch: false, pages },
        alert: { confirm: 1 },
      });
      expect((await rig.checksOf(id))[0]).toMatchObject({ outcome: 'skipped', reason: 'replaced' });
      expect(await rig.records.show(rig.accountId, id)).toMatchObject({
        capture: { url: 'https://example.com/other', headers: '[redacted]' },
        alert: { ...ALERT, confirm: 1 },
      });
      await rig.checkAgain(id);
      expect((await rig.jobsOf()).at(-1)?.options).toMatchObject({
        compare_with: 'previous',
        headers: '[redacted]',
      });
    });

    it('deletes its checks with it', async () => {
      const id = await rig.createKnown();
      await rig.records.remove(rig.accountId, id);
      const { rows } = await rig.database.query(`SELECT 1 FROM monitor_checks WHERE monitor_id = $1`, [id]);
      expect(rows).toEqual([]);
      expect(await rig.records.show(rig.accountId, id).then(() => 'found', codeOf)).toBe('not_found');
    });
  });
});
