import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { EarlierCaptureRepository } from './earlier-capture.repository.js';

describe(EarlierCaptureRepository.name, () => {
  let service: StartedModules;
  let repository: EarlierCaptureRepository;
  let accountId: string;

  beforeAll(async () => {
    service = await startJobs();
    repository = service.app.get(EarlierCaptureRepository);
    accountId = await service.database.addAccount();
  });

  afterAll(() => service.close());

  const SUCCEEDED = `status = 'succeeded', result_key = 'captures/x/1.png', expires_at = now() + interval '1 h'`;

  /** A capture that succeeded `minutes` ago, unless `columns` say otherwise. */
  async function add(
    captureKey: Buffer,
    minutes: number,
    columns = '',
    account = accountId,
  ): Promise<string> {
    const id = newId();
    await service.database.query(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, capture_key)
       VALUES ($1, $2, 'job', 'queued', 'png', '{}', 30000, 'ever', $3)`,
      [id, account, captureKey],
    );
    await service.database.query(
      `UPDATE jobs SET ${SUCCEEDED}, finished_at = now() - $2 * interval '1 min' WHERE id = $1`,
      [id, minutes],
    );
    if (columns !== '') await service.database.query(`UPDATE jobs SET ${columns} WHERE id = $1`, [id]);
    return id;
  }

  it('finds the latest capture with the same key whose file exists', async () => {
    const captureKey = randomBytes(32);
    const id = await add(captureKey, 0);
    expect(await repository.findPrevious({ id, accountId, captureKey })).toBeNull();
    const earlier = await add(captureKey, 20);
    await add(captureKey, 30);
    await add(randomBytes(32), 10);
    await add(captureKey, 10, `result_key = NULL`);
    await add(captureKey, 10, `expires_at = now()`);
    await add(captureKey, 10, `status = 'failed', result_key = NULL`);
    await add(captureKey, 10, '', await service.database.addAccount());
    expect(await repository.findPrevious({ id, accountId, captureKey })).toMatchObject({ id: earlier });
    const later = await add(captureKey, 5);
    expect(await repository.findPrevious({ id, accountId, captureKey })).toMatchObject({ id: later });
  });

  it('finds nothing for a capture without a key', async () => {
    expect(await repository.findPrevious({ id: newId(), accountId, captureKey: null })).toBeNull();
  });

  it('lists the captures of the account, without those whose records are deleted', async () => {
    const ids = [await add(randomBytes(32), 1), await add(randomBytes(32), 1, 'record_deleted = true')];
    const foreign = await add(randomBytes(32), 1, '', await service.database.addAccount());
    const found = await repository.listOfAccount(accountId, [...ids, foreign, newId()]);
    expect(found.map(({ id }) => id)).toEqual([ids[0]]);
  });
});
