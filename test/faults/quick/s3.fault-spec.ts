import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { S3Server } from '../../support/s3-server.js';
import { faultIn } from '../support/fault.js';
import { stopwatch } from '../support/report.js';
import { s3Store } from '../support/store.js';
import { World } from '../support/world.js';

// The store knows nothing of the queue, so one backend says it all.
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
    fault('F15', `captures fail whole and uncharged while S3 says: ${mode}`, async () => {
      const since = stopwatch();
      await s3.set(mode);
      const id = await world.submit({ url: world.site.page() });
      await world.rows.moved(id, 'failed');
      const failed = since();
      const asked = s3.count('PUT');
      expect(await json(world.client.get(`/v1/jobs/${id}`))).toMatchObject({
        attempts: 3,
        billable: false,
        error: { code: 'storage_unavailable' },
      });
      await s3.set('serve');
      const served = stopwatch();
      const response = await world.client.capture({ url: world.site.page() });
      expect(response.status).toBe(200);
      return `${mode}: given up after 3 attempts, ${asked} requests in all and ${failed}; captures again ${served()} after it served`;
    });
});
