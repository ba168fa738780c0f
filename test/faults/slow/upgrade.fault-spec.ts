import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@app/database';
import { dumpSchema } from '../../../scripts/gen/dump-schema.mjs';
import { json } from '../../support/client.js';
import { createDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { buildVersion, earlierCommit, type EarlierVersion } from '../support/earlier-version.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { QUEUES } from '../support/servers.js';
import { workerAt } from '../support/workers.js';
import { World } from '../support/world.js';

const ROWS = 20;

/** Options, and the features that they need and that the earlier version lacks. */
const LATER_OPTIONS = [{ clean: true }, { stable: true }, { image_width: 200 }, { format: 'avif' }];
const LATER_FEATURES = ['clean', 'stable', 'image_width', 'format=avif'];

const commit = earlierCommit();

// Slow, because the earlier version is installed and built. It needs the history of the project.
(commit === undefined ? describe.skip : describe)('an upgrade', () => {
  let earlier: EarlierVersion;

  beforeAll(async () => {
    earlier = await buildVersion(commit ?? '', LATER_FEATURES);
  }, 600_000);

  afterAll(async () => earlier[Symbol.asyncDispose](), 60_000);

  it('gives a database of the earlier version the schema of a new one', async () => {
    await using fresh = await createDatabase();
    await using upgraded = await createDatabase();
    await upgraded.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await earlier.run('scripts/migrate.mjs', [], { ...process.env, DATABASE_URL: upgraded.url });
    await migrate(upgraded.url);
    expect(await dumpSchema(upgraded)).toBe(await dumpSchema(fresh));
  });

  describe.each(QUEUES)('with the queue in %s', (queue) => {
    let world: World;

    beforeAll(async () => {
      world = await World.prepare({ queue, migrated: false });
      await world.migrate(earlier.folder);
    }, 120_000);

    afterAll(() => world.close(), 60_000);

    const fault = faultIn(queue, () => world);

    // The order of docs/deploy.md: schema, APIs, workers.
    fault(
      'F7',
      'the earlier version works on the new schema until it is replaced, and what it captured stays as it was',
      async () => {
        const { rows, site, receiver } = world;
        const since = stopwatch();
        const [oldApi, oldWorker] = await Promise.all([
          world.start('api', {}, earlier.folder),
          world.start('worker', {}, earlier.folder),
        ]);
        const first = await world.submit({ url: site.page() });
        await rows.moved(first, 'succeeded');
        const recordOf = (id: string) => json(world.client.get(`/v1/captures/${id}`));
        const record = await recordOf(first);

        await world.script('scripts/migrate.mjs');
        const alone = await world.submit({ url: site.page() });
        await rows.moved(alone, 'succeeded');

        await world.start('api');
        oldApi.kill('SIGTERM');
        expect(await oldApi.ended()).toBe(0);
        // Fields may be added to records, never changed.
        expect(await recordOf(first)).toMatchObject(record);
        const items = Array.from({ length: ROWS }, () => ({ url: site.page() }));
        const answer = await world.client.post('/v1/bulk/json', { items, webhook_url: receiver.url });
        const batch = String((await json(answer)).id);
        await eventually('its end is announced', () => receiver.about(batch).length > 0, 90_000);
        expect(await json(world.client.get(`/v1/bulk/${batch}`))).toMatchObject({
          counts: { succeeded: ROWS, failed: 0 },
        });
        expect((await world.client.capture({ url: site.page() })).status).toBe(200);

        const page = site.hold();
        const last = await world.submit({ url: page.url });
        await page.visited();
        expect(workerAt(world, page)).toBe(oldWorker);
        await world.start('worker');
        oldWorker.kill('SIGTERM');
        page.release();
        expect(await oldWorker.ended()).toBe(0);
        await rows.moved(last, 'succeeded');
        for (const id of [first, alone, last]) {
          expect(await rows.job(id)).toMatchObject({ attempt: 1, failures: 0, losses: 0 });
          expect((await world.client.get(`/v1/captures/${id}/result`)).status).toBe(200);
        }
        return `an API and a worker of ${earlier.commit.slice(0, 9)} served ${ROWS + 4} captures, and were replaced without a loss, in ${since()}`;
      },
    );

    fault(
      'F7',
      'options that an earlier worker does not know wait for one of this version, or are refused',
      async () => {
        const { client, rows, site } = world;
        const oldWorker = await world.start('worker', {}, earlier.folder);
        for (const worker of world.workers.filter((each) => each !== oldWorker)) {
          worker.kill('SIGTERM');
          expect(await worker.ended()).toBe(0);
        }
        // While the API still counts the other worker, it accepts the capture, which then waits for that worker.
        const isRefused = async (): Promise<boolean> => {
          const signal = AbortSignal.timeout(1_000);
          const answer = await client
            .capture({ url: site.page(), clean: true }, { signal })
            .catch(() => null);
          return answer?.status === 503 && (await json(answer)).code === 'unavailable';
        };
        await eventually('the API knows that only the old worker is left', isRefused, 30_000);
        expect((await client.capture({ url: site.page(), full_page: true })).status).toBe(200);
        for (const option of LATER_OPTIONS) {
          const answer = await client.capture({ url: site.page(), full_page: true, ...option });
          const { code, detail } = await json(answer);
          expect([answer.status, code]).toEqual([503, 'unavailable']);
          expect(detail).toContain(Object.keys(option)[0]);
          expect(detail).not.toContain('full_page');
        }

        const since = new Date();
        const newWorker = await world.start('worker');
        const answers = async (): Promise<boolean> =>
          (await client.capture({ url: site.page(), clean: true })).status === 200;
        await eventually('the API knows the new worker', answers, 30_000);
        const formats = await Promise.all(
          Array.from({ length: 4 }, () => client.capture({ url: site.page(), format: 'avif', stable: true })),
        );
        expect(formats.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual(
          Array(4).fill([200, 'image/avif']),
        );
        const claims = await rows.query<{ worker_id: string; attempt: number }>(
          `SELECT seen.worker_id, seen.attempt FROM seen_moves seen JOIN jobs ON jobs.id = seen.job_id
            WHERE seen.status = 'running' AND jobs.needs && $2 AND seen.at > $1`,
          [since, LATER_FEATURES],
        );
        expect(claims.length).toBeGreaterThanOrEqual(5);
        for (const { worker_id, attempt } of claims) {
          expect([worker_id.includes(`:${newWorker.pid}:`), attempt]).toEqual([true, 1]);
        }
        return `an old worker took none of ${claims.length} captures that it may not understand`;
      },
    );
  });
});
