import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseService } from '@app/database';
import { JobBatchesModule, RowOutcomeRepository } from '@app/jobs';
import { newId } from '@app/kernel';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { BatchFeedModule, BatchFeedService, PortionReaderService } from '../index.js';

describe(BatchFeedService.name, () => {
  let service: StartedModules;

  beforeAll(async () => {
    service = await startJobs({ imports: [BatchFeedModule, JobBatchesModule] });
  });

  afterAll(() => service.close());

  it('adds no portion beyond what the account may keep', async () => {
    const feed = service.app.get(BatchFeedService);
    const accountId = await service.database.addAccount();
    await service.database.query(`UPDATE accounts SET max_captures = 2 WHERE id = $1`, [accountId]);
    const batch = { id: newId(), accountId };
    const database = service.app.get(DatabaseService);
    await database.transaction((transaction) => feed.open(transaction, batch));
    const add = async (rows: readonly number[]): Promise<boolean> => {
      const fed = rows.map((row) => ({ row, url: `https://example.com/${row}` }));
      const portion = await service.app.get(PortionReaderService).read(batch, {}, fed);
      return database.transaction((transaction) => feed.add(transaction, batch, portion));
    };
    await expect(add([1, 2, 3])).rejects.toMatchObject({ code: 'limit_reached' });
    expect((await service.database.query(`SELECT FROM jobs WHERE batch_id = $1`, [batch.id])).rows).toEqual(
      [],
    );
    expect(await add([1, 2])).toBe(true);
    const ended = await service.app.get(RowOutcomeRepository).listEnded(batch.id, [1, 2, 3]);
    // The record of row 3 is not there, as after its expiry; nobody waits for it.
    expect(ended).toMatchObject([{ row: 3, id: null, status: null }]);
  });
});
