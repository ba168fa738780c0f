import { rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { mountTinyDisk, type TinyDisk } from '../../support/tiny-disk.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { diskStore } from '../support/store.js';
import { World, type Member } from '../support/world.js';

/** Less than any picture needs. */
const LEFT_BYTES = 4_096;

const trial = await mountTinyDisk(2);
await trial?.remove();

// Without the small disk there is nothing to fill.
(trial ? describe : describe.skip)('a disk for files of 2 MB', () => {
  let disk: TinyDisk | null;
  let world: World;

  beforeAll(async () => {
    disk = await mountTinyDisk(2);
    const folder = disk?.folder ?? '';
    world = await World.open({ env: { FILES_DIR: folder }, store: diskStore(folder) });
  }, 120_000);

  afterAll(async () => {
    await world.close();
    await disk?.remove();
  }, 60_000);

  faultIn('PostgreSQL', () => world)(
    'F14',
    'refuses captures and delays jobs while it is full, and no file is truncated',
    async () => {
      const { client, rows, site } = world;
      const folder = disk?.folder ?? '';
      const ballast = path.join(folder, 'incoming/ballast');
      const before = (await world.store.keys()).length;
      const { bavail, bsize } = await statfs(folder);
      await writeFile(ballast, Buffer.alloc(bavail * bsize - LEFT_BYTES));
      const id = await world.submit({ url: site.page() });
      const refused = await client.capture({ url: site.page() });
      expect(refused.status).toBe(503);
      expect(await json(refused)).toMatchObject({ code: 'storage_unavailable', retryable: true });
      const isNoticed = ({ log }: Member): boolean => log().includes('The store takes no files');
      await eventually('a worker has noticed', () => world.workers.some(isNoticed));
      expect(await json(client.get(`/v1/jobs/${id}`))).toMatchObject({ error: null, result_url: null });
      // Workers that try whether the store takes files again make a file for a moment.
      await eventually('no file is left', async () => (await world.store.keys()).length === before + 1);
      await rm(ballast);
      const since = stopwatch();
      await Promise.all(world.workers.map((worker) => worker.ready()));
      const captured = async (): Promise<boolean> =>
        (await client.capture({ url: site.page() })).status === 200;
      await eventually('a capture succeeds', captured);
      const again = since();
      await rows.succeeded([id]);
      return `storage_unavailable for a caller, no cut file; captures again ${again} after there was room, the job done after ${since()}`;
    },
  );
});
