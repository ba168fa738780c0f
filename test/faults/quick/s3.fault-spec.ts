import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
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
