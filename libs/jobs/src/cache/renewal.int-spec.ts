import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CachedJobs, PAGE } from '../../../../test/support/cached-jobs.js';
import { CacheEntryRepository } from './cache-entry.repository.js';
import { RenewalAcceptance, RenewalService } from './renewal.service.js';

describe(RenewalService.name, () => {
  let jobs: CachedJobs;
  let captureId: string;

  beforeAll(async () => {
    jobs = await CachedJobs.open();
  });

  afterAll(() => jobs.close());

  beforeEach(async () => {
    await jobs.useAccount();
    captureId = await jobs.keep({ ...PAGE, reference: 'r1', full_page: true });
  });

  /** A process that has not looked at any capture yet. */
  const process = () =>
    new RenewalService(jobs.app.get(CacheEntryRepository), jobs.app.get(RenewalAcceptance));
  const others = async () => (await jobs.rows()).filter(({ id }) => id !== captureId);

  it('submits one job with the same options, which is charged', async () => {
    await Promise.all(Array.from({ length: 5 }, () => process().renew([captureId, captureId])));
    const [job, ...more] = await others();
    expect(more).toEqual([]);
    expect(job).toMatchObject({ status: 'queued', cacheStatus: 'bypass' });
    const { rows } = await jobs.database.query(
      `SELECT source, reference, options, webhook_url FROM jobs WHERE id = $1`,
      [job?.id],
    );
    const options = { ...PAGE, full_page: true };
    expect(rows).toEqual([{ source: 'job', reference: null, options, webhook_url: null }]);
    expect(await jobs.usage()).toEqual({ used: 2, charged: 1 });
  });

  it('does so again after ten seconds, unless a job makes the next capture already', async () => {
    await process().renew([captureId]);
    const tenSecondsPass = () =>
      jobs.database.query(`UPDATE cache_entries SET revalidated_at = revalidated_at - interval '11 s'`);
    await process().renew([captureId]);
    expect(await others()).toHaveLength(1);
    await tenSecondsPass();
    await process().renew([captureId]);
    expect(await others()).toHaveLength(2);
    const [job] = await others();
    await jobs.database.query(`UPDATE cache_entries SET leader_id = $2 WHERE account_id = $1`, [
      jobs.accountId,
      job?.id,
    ]);
    await tenSecondsPass();
    await process().renew([captureId]);
    expect(await others()).toHaveLength(2);
  });

  it('does nothing without allowance, and nothing for captures that no entry names', async () => {
    await jobs.database.query(`UPDATE accounts SET allowance = 1 WHERE id = $1`, [jobs.accountId]);
    await expect(process().renew([captureId])).resolves.toBeUndefined();
    expect(await others()).toEqual([]);
    await jobs.database.query(`UPDATE accounts SET allowance = 9 WHERE id = $1`, [jobs.accountId]);
    await jobs.database.query(
      `UPDATE cache_entries SET capture_id = NULL, captured_at = NULL, revalidated_at = NULL`,
    );
    await process().renew([captureId]);
    expect(await others()).toEqual([]);
  });

  it('does nothing for a capture that was deleted', async () => {
    await jobs.database.query(`UPDATE jobs SET deleted_at = now() WHERE id = $1`, [captureId]);
    await process().renew([captureId]);
    expect(await others()).toEqual([]);
  });
});
