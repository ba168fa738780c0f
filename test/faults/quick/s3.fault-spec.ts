import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { S3Server } from '../../support/s3-server.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { s3Store } from '../support/store.js';
import { World } from '../support/world.js';

// The store does not depend on the queue, so one backend is enough.
describe('faults of S3', () => {
  let s3: S3Server;
  let world: World;

  beforeAll(async () => {
    s3 = await S3Server.start();
    world = await World.open({ env: s3.settings, store: s3Store(s3) });
  }, 120_000);

  afterAll(async () => {
    await world.close();
    await s3.close();
  }, 60_000);

  const fault = faultIn('PostgreSQL', () => world);

  fault('F40', 'a worker that is killed between two files of a capture leaves none behind', async () => {
    const { client, rows, site, workers } = world;
    const outputs = ['a', 'b', 'c'].map((name) => ({ name }));
    await s3.set('hang-others');
    const id = await world.submit({ url: site.page(), outputs });
    const begun = (): boolean =>
      s3.objects.has(`captures/${id}/1.png`) && s3.requests.includes(`PUT captures/${id}/1n2.png`);
    await eventually('the first file is stored and the next one is not', begun);
    const { worker_id: killed } = await rows.job(id);
    const worker = workers.find(({ pid }) => String(killed).includes(`:${pid}:`));
    if (!worker) throw new Error(`No worker is ${String(killed)}`);
    await world.kill(worker);
    const since = stopwatch();
    await s3.set('serve');
    await rows.moved(id, 'succeeded');
    const done = since();
    const kept = [`captures/${id}/2.png`, `captures/${id}/2n2.png`, `captures/${id}/2n3.png`];
    const ours = (): string[] => [...s3.objects.keys()].filter((key) => key.includes(id)).sort();
    await eventually('the files of the killed attempt are gone', () => ours().length === kept.length);
    expect(ours()).toEqual(kept);
    const record = await json(client.get(`/v1/captures/${id}`));
    expect(record).toMatchObject({ attempts: 2, billable: true, files: outputs });
    return `all three files by the next attempt after ${done}, the one of the killed attempt deleted, one unit charged`;
  });

  fault('F41', 'a worker that is killed while it deletes shared files leaves none behind', async () => {
    const { rows, site } = world;
    const outputs = ['a', 'b', 'c'].map((name) => ({ name }));
    const cached = { url: site.page(), outputs, cache_ttl_s: 600 };
    const ids = [
      await world.submit({ ...cached, cache_key: 'over' }),
      await world.submit({ ...cached, cache_key: 'kept' }),
    ];
    await rows.succeeded(ids);
    const [over = '', kept = ''] = ids;
    const filesOf = (id: string): number => [...s3.objects.keys()].filter((key) => key.includes(id)).length;
    const owners = () =>
      rows.query<{ id: string; doomed: boolean }>(
        'SELECT id, doomed_at IS NOT NULL AS doomed FROM shared_files WHERE id = ANY($1) ORDER BY id = $2',
        [ids, over],
      );
    expect([filesOf(over), filesOf(kept), (await owners()).length]).toEqual([3, 3, 2]);
    await rows.query(`UPDATE jobs SET expires_at = now() - interval '1 s' WHERE id = $1`, [over]);
    await s3.set('hang-delete');
    // A worker expires what it can when it starts; one of the others may have been first.
    await world.start('worker');
    await eventually('the files are being deleted', () =>
      s3.requests.includes(`DELETE captures/${over}/1.png`),
    );
    await Promise.all(world.workers.map((worker) => world.kill(worker)));
    expect([await owners(), filesOf(over)]).toEqual([
      [
        { id: kept, doomed: false },
        { id: over, doomed: true },
      ],
      3,
    ]);
    await s3.set('serve');
    const since = stopwatch();
    await world.restore();
    await eventually('the next worker has deleted the files', async () => (await owners()).length === 1);
    expect([filesOf(over), filesOf(kept)]).toEqual([0, 3]);
    return `three doomed files and their row deleted ${since()} after the next start`;
  });

  fault(
    'F42',
    'a worker that is killed while it deletes an account leaves nothing of it behind',
    async () => {
      const { rows, site } = world;
      const client = world.clientOf(await world.account('leaving'));
      const submitted = await Promise.all([1, 2, 3].map(() => json(client.submit({ url: site.page() }))));
      const ids = submitted.map(({ id }) => String(id));
      await rows.succeeded(ids);
      const filesLeft = () =>
        [...s3.objects.keys()].filter((key) => ids.some((id) => key.includes(id))).length;
      const rowsLeft = async () => {
        const [left] = await rows.query<{ accounts: number; jobs: number }>(
          `SELECT (SELECT count(*)::int FROM accounts WHERE name = 'leaving') AS accounts,
                (SELECT count(*)::int FROM jobs WHERE id = ANY($1)) AS jobs`,
          [ids],
        );
        return left;
      };
      const [account] = await rows.query<{ id: string }>(`SELECT id FROM accounts WHERE name = 'leaving'`);
      const words = ['create', '--account', 'default', '--name', 'operator', '--scopes', 'admin', '--json'];
      const { key } = JSON.parse(await world.script('dist/scripts/keys.js', words)) as { key: string };
      await s3.set('hang-delete');
      const deletion = await world.clientOf(key).send('DELETE', `/v1/admin/accounts/${account?.id}`);
      expect(deletion.status).toBe(202);
      await eventually('the files are being deleted', () =>
        ids.some((id) => s3.requests.includes(`DELETE captures/${id}/1.png`)),
      );
      await Promise.all(world.workers.map((worker) => world.kill(worker)));
      expect([await rowsLeft(), filesLeft()]).toEqual([{ accounts: 1, jobs: 3 }, 3]);
      await s3.set('serve');
      const since = stopwatch();
      await world.restore();
      await eventually('the account is gone', async () => (await rowsLeft())?.accounts === 0, 60_000);
      expect([await rowsLeft(), filesLeft()]).toEqual([{ accounts: 0, jobs: 0 }, 0]);
      return `three captures, their files and the account deleted ${since()} after the next start`;
    },
  );

  for (const mode of ['refuse', 'error'] as const)
    fault('F15', `captures are refused uncharged and jobs are delayed while S3 fails: ${mode}`, async () => {
      const { client, rows, site } = world;
      await s3.set(mode);
      const id = await world.submit({ url: site.page() });
      const since = stopwatch();
      const refused = await client.capture({ url: site.page() });
      const failed = since();
      expect(await json(refused)).toMatchObject({
        status: 503,
        code: 'storage_unavailable',
        retryable: true,
      });
      const asked = s3.count('PUT');
      expect(await json(client.get(`/v1/jobs/${id}`))).toMatchObject({ error: null, result_url: null });
      await s3.set('serve');
      const served = stopwatch();
      expect((await client.capture({ url: site.page() })).status).toBe(200);
      const again = served();
      await rows.succeeded([id]);
      return `${mode}: a caller is refused after ${failed} and ${asked} requests; captures again ${again} after it served, the job done after ${served()}`;
    });
});
