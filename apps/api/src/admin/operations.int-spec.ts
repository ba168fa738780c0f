import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '@app/auth';
import { Clock, ManualClock, newId } from '@app/kernel';
import { MemoryStorage } from '@app/storage';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import { nameOf, reportWorker } from '../../../../test/support/reported-worker.js';
import { HealthHistoryService } from '../health/health-history.service.js';

const CANARY = 'canary-of-a-secret';
const pageAt = (host: string) => ({ url: `https://${host}/path?token=${CANARY}` });

type Owner = Awaited<ReturnType<TestApi['client']>>;

describe('the running service, for operators', () => {
  const clock = new ManualClock(new Date());
  let api: TestApi;
  let admin: Client;
  let owner: Owner;

  beforeAll(async () => {
    api = await startApi(
      { SMTP_URL: `smtp://user:${CANARY}@localhost`, S3_ENDPOINT: `http://u:${CANARY}@s3.example` },
      undefined,
      [[Clock, clock]],
    );
    owner = await api.client();
    const made = await api.app
      .get(ApiKeysService, { strict: false })
      .create(owner.accountId, 'operator', { scopes: ['admin'] });
    admin = owner.withKey(made.key);
  });

  beforeEach(() => {
    clock.set(new Date());
  });

  afterAll(() => api.close());

  const get = (path: string): Promise<Json> => json(admin.get(`/v1/admin/${path}`));
  const post = (path: string): Promise<Response> => admin.send('POST', `/v1/admin/${path}`);
  const audit = async (subject: string): Promise<Json[]> =>
    (await get(`audit?subject_id=${subject}`)).items as Json[];

  describe('workers', () => {
    it('are listed with their slots, and what they capture without its address', async () => {
      const id = await reportWorker(api.app);
      await owner.submit(pageAt('shop.example'));
      const running = await api.claim(owner);
      await api.database.query('UPDATE jobs SET worker_id = $2 WHERE id = $1', [running.id, nameOf(id)]);
      const list = await get('workers');
      expect(list).toEqual({
        items: [
          {
            id,
            host: 'machine',
            version: '0.2.0',
            browser: 'Chrome/156.0.7000.10',
            state: 'active',
            drain: false,
            outages: [],
            slots: 4,
            busy: 1,
            healthy: 4,
            started_at: expect.any(String),
            seen_at: expect.any(String),
            lanes: [
              { lane: 'interactive', running: 0, slots: 4 },
              { lane: 'background', running: 1, slots: 3 },
            ],
            captures: [
              {
                id: running.id,
                account_id: owner.accountId,
                account: expect.any(String),
                host: 'shop.example',
                lane: 'background',
                started_at: expect.any(String),
              },
            ],
          },
        ],
      });
      expect(JSON.stringify(list)).not.toContain(CANARY);
      await running.succeed();
      await api.database.query('DELETE FROM workers');
    });

    it('drain and resume once for repeated requests, each with its event in the audit trail', async () => {
      const id = await reportWorker(api.app);
      const states = [];
      for (const action of ['drain', 'drain', 'resume', 'resume']) {
        const { state, drain } = await json(post(`workers/${id}/${action}`));
        states.push([state, drain]);
      }
      expect(states).toEqual([
        ['draining', true],
        ['draining', true],
        ['active', false],
        ['active', false],
      ]);
      expect(await audit(id)).toMatchObject([
        { action: 'worker.resumed', account_id: null, before: { drain: true }, after: { drain: false } },
        { action: 'worker.drain_started', after: { host: 'machine', drain: true }, actor: { kind: 'key' } },
      ]);
      expect(await statusAndCode(post(`workers/${newId()}/drain`))).toEqual([404, 'not_found']);
    });

    it('are not drained when the audit trail cannot be written', async () => {
      const id = await reportWorker(api.app);
      await api.database.query('ALTER TABLE audit_events RENAME TO audit_aside');
      expect((await post(`workers/${id}/drain`)).status).toBe(500);
      await api.database.query('ALTER TABLE audit_aside RENAME TO audit_events');
      const workers = (await get('workers')).items as Json[];
      expect(workers.find((worker) => worker.id === id)).toMatchObject({ drain: false });
    });

    it('are missing in the health of the service when all of them drain', async () => {
      await api.database.query('UPDATE workers SET drain = true');
      const { checks } = (await json(admin.get('/v1/health'))) as { checks: Json };
      expect(checks.workers).toMatchObject({ status: 'down', error: 'every worker drains' });
      await api.database.query('DELETE FROM workers');
    });
  });

  describe('the queue', () => {
    it('is shown by lane, account and host, of all accounts or of one', async () => {
      const [busy, paused] = [await api.client(), await api.client()];
      for (const host of ['a.example', 'a.example', 'b.example']) await busy.submit(pageAt(host));
      await paused.submit(pageAt('b.example'));
      await paused.post('/v1/bulk/json', { items: ['b.example', 'c.example'].map(pageAt) });
      await api.claim(busy);
      await post(`accounts/${paused.accountId}/pause`);
      const all = await get('queue');
      expect(all).toMatchObject({
        lanes: [
          { lane: 'interactive', waiting: 0, running: 0, oldest_waiting_s: null },
          { lane: 'background', waiting: 5, running: 1, oldest_waiting_s: expect.any(Number) },
        ],
        accounts: expect.arrayContaining([
          expect.objectContaining({ account_id: busy.accountId, state: 'active', waiting: 2, running: 1 }),
          expect.objectContaining({ account_id: paused.accountId, state: 'paused', waiting: 3, running: 0 }),
        ]),
        truncated: [],
      });
      expect(loadsOf(all)).toEqual({ 'a.example': [1, 1], 'b.example': [3, 0], 'c.example': [1, 0] });
      expect(JSON.stringify(all)).not.toContain(CANARY);
      const one = await get(`queue?account_id=${paused.accountId}`);
      expect(one.accounts).toMatchObject([{ account_id: paused.accountId, waiting: 3 }]);
      expect(loadsOf(one)).toEqual({ 'b.example': [2, 0], 'c.example': [1, 0] });
      expect(one.batches).toMatchObject([{ account_id: paused.accountId, total: 2, queued: 2, running: 0 }]);
    });

    it('loses all rows of a batch of another account that an operator cancels, once', async () => {
      const client = await api.client();
      const { id } = await json(
        client.post('/v1/bulk/json', { items: [1, 2, 3].map(() => pageAt('d.example')) }),
      );
      const batch = String(id);
      await api.claim(client);
      for (let n = 0; n < 2; n += 1) {
        const canceled = await json(post(`batches/${batch}/cancel`));
        expect(canceled).toMatchObject({ status: 'canceled', counts: { queued: 0, canceled: 3 } });
      }
      const { items } = await json(client.get(`/v1/bulk/${batch}/results`));
      expect(items).toMatchObject([1, 2, 3].map(() => ({ cancel_reason: 'operator_request' })));
      expect(await audit(batch)).toMatchObject([
        { action: 'batch.canceled', account_id: client.accountId, before: { queued: 2, running: 1 } },
      ]);
      expect((await json(client.get('/v1/usage'))).used).toBe(0);
      const { batches } = await get(`queue?account_id=${client.accountId}`);
      expect(batches).toEqual([]);
      expect(await statusAndCode(post(`batches/${newId()}/cancel`))).toEqual([404, 'not_found']);
    });
  });

  it('shows its settings without a secret', async () => {
    const settings = await get('settings');
    const byName = Object.fromEntries((settings.items as Json[]).map((each) => [each.name, each]));
    expect(byName.LOG_LEVEL).toMatchObject({ value: 'silent', default: 'info', origin: 'variable' });
    expect(byName.AUDIT_TTL_S).toMatchObject({ value: 31_536_000, origin: 'default', subject: 'results' });
    expect(byName.SMTP_URL).toMatchObject({ value: null, secret: true, is_set: true });
    expect(byName.S3_ENDPOINT).toMatchObject({ value: 'http://***@s3.example' });
    expect(JSON.stringify(settings)).not.toContain(CANARY);
    const { rows } = await api.database.query<{ key: string }>(`SELECT current_database() AS key`);
    expect(JSON.stringify(settings)).not.toContain(rows[0]?.key);
  });

  describe('the history of health', () => {
    const observe = async (atMs: number): Promise<void> => {
      clock.set(new Date(atMs));
      await api.app.get(HealthHistoryService, { strict: false }).observe();
    };
    const historyOf = async (dependency: string, days = 7): Promise<unknown> => {
      const { items } = await get(`health?days=${days}`);
      return (items as Json[]).find((each) => each.dependency === dependency)?.changes;
    };
    const iso = (ms: number): string => new Date(ms).toISOString();

    it('has a row for each change, also for what was seen while the database was away', async () => {
      const begin = Date.now() - 3_600_000;
      await observe(begin);
      await observe(begin + 15_000);
      api.storage.check = () => Promise.reject(new Error('full'));
      await observe(begin + 30_000);
      await api.database.query('ALTER TABLE health_changes RENAME TO health_aside');
      await observe(begin + 45_000);
      api.storage.check = MemoryStorage.prototype.check;
      await observe(begin + 60_000);
      await api.database.query('ALTER TABLE health_aside RENAME TO health_changes');
      await observe(begin + 75_000);
      clock.set(new Date());
      expect(await historyOf('storage')).toEqual([
        { at: iso(begin), status: 'ok', error: null },
        { at: iso(begin + 30_000), status: 'down', error: 'does not respond' },
        { at: iso(begin + 60_000), status: 'ok', error: null },
      ]);
      expect(await historyOf('database')).toEqual([{ at: iso(begin), status: 'ok', error: null }]);
    });

    it('says that no name server answers some workers', async () => {
      const begin = Date.now();
      await reportWorker(api.app);
      await observe(begin);
      await api.database.query(`UPDATE workers SET outages = '{dns}'`);
      await observe(begin + 15_000);
      expect(await historyOf('dns')).toMatchObject([
        { status: 'ok' },
        { status: 'down', error: 'no name server answers 1 of 1 workers' },
      ]);
    });

    it('corrects what a process has noted that ended, and forgets what is old, but not how it was at the beginning', async () => {
      const DAY_MS = 86_400_000;
      const now = Date.now();
      await api.database.query(`DELETE FROM health_changes WHERE dependency = 'queue'`);
      await api.database.query(
        `INSERT INTO health_changes (dependency, at, status) VALUES
           ('queue', now() - interval '50 days', 'ok'), ('queue', now() - interval '40 days', 'down'),
           ('queue', now() - interval '20 days', 'ok'), ('queue', now() - interval '6 minutes', 'down')`,
      );
      await observe(now + 60_000);
      const { rows } = await api.database.query(`SELECT FROM health_changes WHERE dependency = 'queue'`);
      expect(rows).toHaveLength(4);
      expect(await historyOf('queue', 30)).toMatchObject(
        [now - 40 * DAY_MS, 0, 0, 0].map((_, n) => ({ status: n % 2 === 0 ? 'down' : 'ok' })),
      );
      expect(await historyOf('queue', 1)).toMatchObject([
        { status: 'ok' },
        { status: 'down' },
        { status: 'ok' },
      ]);
    });
  });

  /** What waits for each host and runs there. */
  function loadsOf({ hosts }: Json): Record<string, unknown> {
    return Object.fromEntries(
      (hosts as Json[]).map(({ host, waiting, running }) => [host, [waiting, running]]),
    ) as Record<string, unknown>;
  }
});
