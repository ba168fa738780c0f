import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JobSignalsService } from '@app/jobs';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { SharedCaptures } from '../../../../test/support/shared-captures.js';
import { RecentFilesService } from './recent-files.service.js';

describe('DELETE /v1/captures/{id} of a capture that the cache keeps', () => {
  let api: TestApi;
  let other: TestApi;
  let owner: Client & { readonly accountId: string };
  let captures: SharedCaptures;

  beforeAll(async () => {
    api = await startApi();
    other = await startApi({}, api);
  });

  afterAll(async () => {
    await other.close();
    await api.close();
  });

  beforeEach(async () => {
    owner = await api.client();
    captures = new SharedCaptures(api.app, api.database, owner.accountId);
  });

  /** The options of the captures, by their ids. */
  const options = new Map<string, Json>();
  /** A capture of a page of its own, which the test makes in the place of a worker. */
  const make = async (more: Json = {}): Promise<string> => {
    const asked = { url: `https://example.com/${++pages}`, cache_ttl_s: 600, ...more };
    const id = String((await json(owner.submit(asked))).id);
    await (await api.claim(owner)).succeed();
    options.set(id, asked);
    return id;
  };
  let pages = 0;
  /** A job that is answered with the files of a capture. */
  const hit = async (id: string): Promise<string> => {
    const job = await json(owner.submit(options.get(id) ?? {}));
    expect(job).toMatchObject({ status: 'succeeded', billable: false, cache: { status: 'hit' } });
    return String(job.id);
  };
  const remove = (id: string, query = '') => owner.send('DELETE', `/v1/captures/${id}${query}`);
  const resultOf = (id: string) => owner.get(`/v1/captures/${id}/result`);
  const GONE = [410, 'result_expired'];
  /** What the cache and the expiry know about a capture. */
  const rowsOf = async (id: string) => {
    const { rows } = await api.database.query<{ entries: number; files: number }>(
      `SELECT (SELECT count(*)::int FROM cache_entries WHERE capture_id = $1) AS entries,
              (SELECT count(*)::int FROM shared_files WHERE id = $1) AS files`,
      [id],
    );
    return rows[0];
  };

  it('deletes the files at once if no other record shows them, and makes the cache forget them', async () => {
    const id = await make();
    expect(await rowsOf(id)).toEqual({ entries: 1, files: 1 });
    const record = await json(remove(id));
    expect(record).toMatchObject({ id, status: 'succeeded', billable: true, result_url: null });
    expect(await captures.endsOf(id)).toEqual([]);
    expect(await rowsOf(id)).toEqual({ entries: 0, files: 0 });
    expect(await json(remove(id))).toEqual(record);
    expect(await statusAndCode(resultOf(id))).toEqual(GONE);
  });

  it('deletes all files of a capture with several outputs, and those of attempts that lost their worker', async () => {
    const ends = ['.png', 'n2.pdf', 'n3.txt'];
    const id = await captures.make({ attempt: 2, ends });
    expect(await captures.endsOf(id, 2, ends)).toHaveLength(6);
    expect((await remove(id)).status).toBe(200);
    expect(await captures.endsOf(id, 2, ends)).toEqual([]);
  });

  it('leaves the files of the capture that made them to the hits, and deletes them with the last of those', async () => {
    const id = await make();
    const [one, other] = [await hit(id), await hit(id)];
    await remove(id);
    expect(await statusAndCode(resultOf(id))).toEqual(GONE);
    for (const each of [one, other]) {
      const answer = await resultOf(each);
      expect([answer.status, await answer.text()]).toEqual([200, 'a picture']);
    }
    expect(await json(owner.get(`/v1/captures/${one}`))).toMatchObject({ billable: false });
    expect(await rowsOf(id)).toEqual({ entries: 0, files: 1 });
    expect(await captures.addHit(id)).toBeNull();
    await remove(one);
    expect((await resultOf(other)).status).toBe(200);
    await remove(other, '?record=true');
    expect(await captures.endsOf(id)).toEqual([]);
    expect(await rowsOf(id)).toEqual({ entries: 0, files: 0 });
  });

  it.each([
    ['', GONE],
    ['?record=true', [404, 'not_found']],
  ])(
    'makes the cache forget what a deleted hit showed, and leaves it to the capture: %s',
    async (query, answer) => {
      const id = await make();
      const shown = await hit(id);
      await remove(shown, query);
      expect(await statusAndCode(resultOf(shown))).toEqual(answer);
      expect((await resultOf(id)).status).toBe(200);
      expect(await rowsOf(id)).toEqual({ entries: 0, files: 1 });
      expect(await captures.addHit(id)).toBeNull();
      await remove(id);
      expect(await captures.endsOf(id)).toEqual([]);
      expect(await rowsOf(id)).toEqual({ entries: 0, files: 0 });
    },
  );

  it.each(['of the capture', 'of a job that was answered with it'])(
    'makes every process forget it at once: %s',
    async (whose) => {
      const page = { url: `https://example.com/${++pages}`, cache_ttl_s: 600 };
      const first = owner.capture(page);
      await (await api.claim(owner)).succeed(Buffer.from('first'));
      const id = (await first).headers.get('x-capture-id') ?? '';
      options.set(id, page);
      const processes = [owner, owner.forApps(other)];
      for (const each of processes) expect((await each.capture(page)).headers.get('x-cache')).toBe('HIT');
      const notified = once(other.app.get(JobSignalsService), 'forgotten');
      await remove(whose === 'of the capture' ? id : await hit(id));
      expect(await notified).toEqual([id]);
      for (const { app } of [api, other]) {
        const files = app.get(RecentFilesService);
        await api.storage.delete(`captures/${id}/1.png`);
        await expect(files.read({ key: `captures/${id}/1.png`, bytes: 5 })).rejects.toThrow(
          'There is no file',
        );
      }
      const answers = processes.map((each) => each.capture(page));
      await (await api.claim(owner)).succeed(Buffer.from('second'));
      for (const answer of answers) expect(await (await answer).text()).toBe('second');
    },
  );

  it('is forgotten at once by the process that deletes it, also while notifications are lost', async () => {
    const id = await make();
    const ask = () => owner.capture(options.get(id) ?? {}, { signal: AbortSignal.timeout(10_000) });
    expect((await ask()).headers.get('x-cache')).toBe('HIT');
    await api.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'capture-notifications' AND datname = current_database()`,
    );
    await remove(id);
    const answer = ask();
    const again = await api.claim(owner);
    expect(again.id).not.toBe(id);
    await again.succeed();
    expect((await answer).headers.get('x-cache')).toBe('MISS');
  });

  it('leaves the files to the rows of a batch that were answered with them', async () => {
    const id = await make();
    const rows = [options.get(id), { ...options.get(id), reference: 'again' }];
    const batch = await json(owner.post('/v1/bulk/json', { items: rows }));
    expect(batch).toMatchObject({ status: 'completed', counts: { succeeded: 2 } });
    await remove(id);
    const { items } = await json(owner.get(`/v1/bulk/${String(batch.id)}/results`));
    const ids = (items as Json[]).map((row) => String(row.id));
    for (const row of ids) expect((await resultOf(row)).status).toBe(200);
    for (const row of ids) await remove(row);
    expect(await captures.endsOf(id)).toEqual([]);
    expect(await rowsOf(id)).toEqual({ entries: 0, files: 0 });
    expect((await json(owner.get('/v1/usage'))).used).toBe(1);
  });

  it('waits for a transaction that is about to show the files', async () => {
    const id = await make();
    await using other = await api.database.session();
    await other.query('BEGIN');
    await other.query('SELECT FROM shared_files WHERE id = $1 FOR KEY SHARE', [id]);
    let isDeleted = false;
    const removal = remove(id).then(() => (isDeleted = true));
    const waits = async (): Promise<boolean> => {
      const { rowCount } = await api.database.query(
        `SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%shared_files%'`,
      );
      return rowCount === 1;
    };
    await eventually('the deletion waits', waits);
    expect([isDeleted, await captures.endsOf(id)]).toEqual([false, ['1.png']]);
    await other.query('ROLLBACK');
    await removal;
    expect(await captures.endsOf(id)).toEqual([]);
  });

  it('deletes the files when all records that show them are deleted at the same time', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await make();
      const ids = [id, await hit(id), await hit(id), await hit(id)];
      const answers = await Promise.all(ids.map((each) => remove(each)));
      expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
      expect(await captures.endsOf(id)).toEqual([]);
      expect(await rowsOf(id)).toEqual({ entries: 0, files: 0 });
    }
  });

  it('deletes the files at the next request after an outage of the storage', async () => {
    const id = await make();
    const { delete: works } = api.storage;
    api.storage.delete = () => Promise.reject(new AppError('storage_unavailable'));
    try {
      expect(await statusAndCode(remove(id))).toEqual([503, 'storage_unavailable']);
    } finally {
      api.storage.delete = works;
    }
    expect(await statusAndCode(resultOf(id))).toEqual(GONE);
    expect(await captures.endsOf(id)).toEqual(['1.png']);
    const { rows } = await api.database.query(
      `SELECT doomed_at IS NOT NULL AND check_at <= now() AS "isDue" FROM shared_files WHERE id = $1`,
      [id],
    );
    expect(rows).toEqual([{ isDue: true }]);
    expect((await remove(id)).status).toBe(200);
    expect(await captures.endsOf(id)).toEqual([]);
    expect(await rowsOf(id)).toEqual({ entries: 0, files: 0 });
  });

  it('of a newer capture of the same page leaves the older one to its records', async () => {
    const url = 'https://example.com/twice';
    const older = await make({ url });
    const newer = await make({ url, force: true });
    expect([await rowsOf(older), await rowsOf(newer)]).toEqual([
      { entries: 0, files: 1 },
      { entries: 1, files: 1 },
    ]);
    await remove(newer);
    expect([await captures.endsOf(older), await captures.endsOf(newer)]).toEqual([['1.png'], []]);
    expect((await resultOf(older)).status).toBe(200);
  });

  it.each(['result', 'files/result', 'files.zip'])(
    'is not needed for a file that the store has lost: a download notices it: %s',
    async (path) => {
      const id = await make();
      const shown = await hit(id);
      await api.storage.delete(`captures/${id}/1.png`);
      expect(await statusAndCode(owner.get(`/v1/captures/${shown}/${path}`))).toEqual(GONE);
      expect(await rowsOf(id)).toEqual({ entries: 0, files: 1 });
      expect(await captures.addHit(id)).toBeNull();
    },
  );
});
