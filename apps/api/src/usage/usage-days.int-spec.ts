import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JobSumsRepository } from '@app/jobs';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client, type Json } from '../../../../test/support/client.js';

type Owner = Client & { readonly accountId: string };
type Day = Json & { readonly day: string };

const URL = 'https://example.com/';

describe('GET /v1/usage/days', () => {
  let api: TestApi;
  let owner: Owner;

  beforeAll(async () => {
    api = await startApi();
    owner = await api.client();
  });
  afterAll(() => api.close());

  const days = (query = '', client: Client = owner) => json(client.get(`/v1/usage/days${query}`));
  const used = async () => (await json(owner.get('/v1/usage'))).used;
  const today = () => new Date().toISOString().slice(0, 10);

  async function job(options: Json = { url: URL }): Promise<string> {
    return String((await json(owner.submit(options))).id);
  }

  /** Two jobs and a synchronous capture succeed, one of a batch fails, one is invalid, one is canceled, one is answered by the cache. */
  async function useTheService(): Promise<void> {
    const page = { url: URL, cache_ttl_s: 60 };
    const kept = await job(page);
    await (await api.claim(owner)).succeed();
    expect(await json(owner.submit(page))).toMatchObject({ billable: false, status: 'succeeded' });
    const answer = owner.capture({ url: URL });
    await (await api.claim(owner)).succeed();
    expect((await answer).status).toBe(200);
    const deleted = await job();
    await (await api.claim(owner)).succeed();
    await owner.send('DELETE', `/v1/captures/${deleted}?record=true`);
    await owner.send('DELETE', `/v1/captures/${kept}`);
    await owner.send('DELETE', `/v1/jobs/${await job()}`);
    const items = [{ url: URL }, { url: URL, viewport_width: 9_000 }];
    await owner.post('/v1/bulk/json', { items, on_invalid: 'skip' });
    await (await api.claim(owner)).fail(new AppError('selector_not_found'));
    await job();
  }

  /** Moves what has ended two days back, where the hours are due to be summed up. */
  async function moveToThePast(): Promise<void> {
    await api.database.query(
      `WITH moved AS (
         UPDATE jobs SET created_at = created_at - interval '2 days' WHERE account_id = $1 AND status <> 'queued'
         RETURNING account_id, date_trunc('hour', created_at, 'UTC') AS hour)
       INSERT INTO job_hours_stale SELECT DISTINCT account_id, hour FROM moved`,
      [owner.accountId],
    );
  }

  const COUNTS = {
    total: 8,
    used: 4,
    charged: 3,
    charged_by_source: { sync: 1, job: 2, batch: 0 },
    in_progress: 1,
    cached: 1,
    failed: 2,
    canceled: 1,
    error_code: { invalid_request: 1, selector_not_found: 1 },
  };

  it('shows what was charged and what was not, today and in total; the sum is that of GET /v1/usage', async () => {
    await useTheService();
    const { days: listed, ...totals } = (await days()) as Json & { days: Day[] };
    expect(totals).toEqual({
      from: expect.any(String),
      to: expect.any(String),
      counted_until: `${String(totals.to)}T00:00:00.000Z`,
      ...COUNTS,
    });
    expect(listed).toHaveLength(30);
    expect([listed[0]?.day, listed.at(-1)]).toEqual([totals.from, { day: today(), ...COUNTS }]);
    expect(await used()).toBe(COUNTS.used);
  });

  it('shows the same once the hours are summed up, and after the records are deleted for their age', async () => {
    await moveToThePast();
    const before = await days();
    expect(before).toMatchObject(COUNTS);
    expect((before.days as Day[]).at(-1)).toMatchObject({ total: 1, used: 1, in_progress: 1 });
    expect((before.days as Day[]).at(-3)).toMatchObject({ total: 7, used: 3, in_progress: 0, charged: 3 });
    await api.app.get(JobSumsRepository, { strict: false }).bringUpToDate();
    expect(await days()).toEqual(before);
    await using session = await api.database.session();
    await session.query(`BEGIN`);
    await session.query(`SELECT set_config('capture.expiring', 'on', true)`);
    await session.query(`DELETE FROM jobs WHERE account_id = $1 AND status <> 'queued'`, [owner.accountId]);
    await session.query(`COMMIT`);
    expect(await days()).toEqual(before);
    expect(await used()).toBe(COUNTS.used);
  });

  it('counts the capture that was in progress when it has ended', async () => {
    await (await api.claim(owner)).succeed();
    const counts = {
      ...COUNTS,
      charged: 4,
      charged_by_source: { sync: 1, job: 3, batch: 0 },
      in_progress: 0,
    };
    expect(await days()).toMatchObject(counts);
    expect(await used()).toBe(4);
  });

  it('shows nothing of another account', async () => {
    const { days: listed, ...totals } = (await days('', await api.client())) as Json & { days: Day[] };
    expect(totals).toMatchObject({ total: 0, used: 0, charged: 0, error_code: {} });
    expect(listed.filter(({ total }) => total !== 0)).toEqual([]);
  });

  it('begins and ends where the range says, without the last day', async () => {
    const {
      from,
      to,
      total,
      days: listed,
    } = (await days('?from=2026-02-27&to=2026-03-02')) as Json & {
      days: Day[];
    };
    expect([from, to, total]).toEqual(['2026-02-27', '2026-03-02', 0]);
    expect(listed.map(({ day }) => day)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(((await days('?from=2024-01-01&to=2026-01-01')).days as Day[]).length).toBe(731);
  });

  it.each([
    ['from=2026-02-30', '/from', 'from must be a date such as 2026-11-01'],
    ['to=2026-11-01T00:00:00Z', '/to', 'to must be a date'],
    ['from=', '/from', 'from must be a date'],
    ['from=0000-01-01', '/from', 'from must be a date'],
    ['from=2026-03-01&to=2026-03-01', '/from', 'from must be earlier than to'],
    ['from=2023-12-31&to=2026-01-01', '/from', 'from must be at most 731 days before to'],
    ['from=2026-01-01&from=2026-01-02', '/from', 'from'],
    ['day=2026-01-01', '/day', 'day'],
  ])('refuses ?%s', async (query, pointer, detail) => {
    expect(await days(`?${query}`)).toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining(detail),
      errors: [{ pointer }],
    });
  });
});
