import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import {
  buildVersion,
  commitBeforeNewestMigration,
  type EarlierVersion,
} from '../support/earlier-version.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { QUEUES } from '../support/servers.js';
import { workerAt } from '../support/workers.js';
import { World } from '../support/world.js';

const ROWS = 20;

const commit = commitBeforeNewestMigration();

// Slow, because the earlier version is installed and built. It needs the history of the project.
(commit === undefined ? describe.skip : describe)('an upgrade', () => {
  let earlier: EarlierVersion;

  beforeAll(async () => {
    earlier = await buildVersion(commit ?? '');
  }, 600_000);

  afterAll(async () => earlier[Symbol.asyncDispose](), 60_000);

  describe.each(QUEUES)('with the queue in %s', (queue) => {
    let world: World;

    beforeAll(async () => {
      world = await World.prepare({ queue });
    }, 120_000);

    afterAll(() => world.close(), 60_000);

    const fault = faultIn(queue, () => world);

    // The order of docs/deploy.md: schema, APIs, workers.
    fault(
      'F7',
      'the version before the newest migration works on the new schema until it is replaced',
      async () => {
        const { rows, site, receiver } = world;
        const since = stopwatch();
        const [oldApi, oldWorker] = await Promise.all([
          world.start('api', {}, earlier.folder),
          world.start('worker', {}, earlier.folder),
        ]);
        const alone = await world.submit({ url: site.page() });
        await rows.moved(alone, 'succeeded');

        await world.start('api');
        oldApi.kill('SIGTERM');
        expect(await oldApi.ended()).toBe(0);
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
        for (const id of [alone, last]) {
          expect(await rows.job(id)).toMatchObject({ attempt: 1, failures: 0, losses: 0 });
          expect((await world.client.get(`/v1/captures/${id}/result`)).status).toBe(200);
        }
        return `an API and a worker of ${commit?.slice(0, 9)} served ${ROWS + 4} captures, and were replaced without a loss, in ${since()}`;
      },
    );

    fault(
      'F7',
      'options that an earlier worker may not know wait for one of this version, or are refused',
      async () => {
        const { client, rows, site } = world;
        const oldWorker = await world.start('worker', {}, earlier.folder);
        for (const worker of world.workers.filter((each) => each !== oldWorker)) {
          worker.kill('SIGTERM');
          expect(await worker.ended()).toBe(0);
        }
        const isRefused = async (): Promise<boolean> =>
          (await client.capture({ url: site.page(), clean: true })).status === 503;
        await eventually('the API knows that only the old worker is left', isRefused, 30_000);
        expect((await client.capture({ url: site.page() })).status).toBe(200);
        for (const option of [{ clean: true }, { stable: true }, { image_width: 200 }, { format: 'avif' }]) {
          const answer = await client.capture({ url: site.page(), ...option });
          const { code, detail } = await json(answer);
          expect([answer.status, code]).toEqual([503, 'unavailable']);
          expect(detail).toContain(Object.keys(option)[0]);
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
            WHERE seen.status = 'running' AND jobs.needs IS NOT NULL AND seen.at > $1`,
          [since],
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
