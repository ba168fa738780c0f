import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditModule, COMMAND } from '@app/audit';
import { ApiKeysService, AuthModule } from '@app/auth';
import { BatchUpkeepModule } from '@app/bulk';
import { DatabaseModule, DatabaseService } from '@app/database';
import { JobExpiryModule, JobUpkeepModule } from '@app/jobs';
import { AppError } from '@app/kernel';
import { CrawlRunningModule } from '@app/crawls';
import { MonitorChecksModule } from '@app/monitors';
import { SessionsModule } from '@app/sessions';
import { MemoryStorage, Storage, StorageModule } from '@app/storage';
import { AccountsService, UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { startJobs } from '../support/jobs.js';
import type { StartedModules } from '../support/modules.js';
import { ownedBy, type Owned } from './owned-rows.js';
import { asJson, rowsOf } from './rows-of-account.js';
import { CaptureFilesService } from '../../apps/worker/src/captures/capture-files.service.js';
import { AccountCapturesService } from '../../apps/worker/src/upkeep/account-captures.service.js';
import { AccountDeletionService } from '../../apps/worker/src/upkeep/account-deletion.service.js';
import { AccountRowsService } from '../../apps/worker/src/upkeep/account-rows.service.js';

/** The ids of all rows of the account that is deleted, and its names. */
const OF_OWN = /b{8}-0000-4000-8000-\d{12}|key-of-own|name-of-own/;

/** A store that is down once. */
class InterruptedStorage extends MemoryStorage {
  failures = 0;

  override delete(key: string): Promise<void> {
    if (this.failures-- > 0) return Promise.reject(new AppError('storage_unavailable'));
    return super.delete(key);
  }
}

describe('the deletion of an account', () => {
  const storage = new InterruptedStorage();
  const own = ownedBy('own');
  const other = ownedBy('other');
  const { signal } = new AbortController();
  let service: StartedModules;

  beforeAll(async () => {
    service = await startJobs({
      imports: [
        ...[AuditModule, AuthModule, BatchUpkeepModule, DatabaseModule, JobExpiryModule, JobUpkeepModule],
        ...[
          CrawlRunningModule,
          MonitorChecksModule,
          SessionsModule,
          StorageModule,
          UsageModule,
          WebhooksModule,
        ],
      ],
      providers: [AccountCapturesService, AccountDeletionService, AccountRowsService, CaptureFilesService],
      replace: [[Storage, storage]],
    });
    await seed();
    for (const owned of [own, other]) {
      for (const key of keysOf(owned)) await storage.put(key, Buffer.from('a picture'));
    }
  });

  afterAll(() => service.close());

  const deletion = () => service.app.get(AccountDeletionService);

  async function seed(): Promise<void> {
    await using session = await service.database.session();
    // Without triggers and the checks of foreign keys, so that the order of the tables does not matter.
    await session.query(`SET session_replication_role = replica`);
    for (const [table, row] of (['own', 'other'] as const).flatMap((owner) => rowsOf(owner, new Date()))) {
      const columns = Object.keys(row).join(', ');
      await session.query(
        `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_record(NULL::${table}, $1)`,
        [asJson(row)],
      );
    }
    // The accounts have files of their own.
    await session.query(`UPDATE shared_files SET keys = ARRAY['captures/' || id || '/1.png']`);
    await session.query(
      `UPDATE jobs SET result_key = 'captures/' || id || '/1.png' WHERE result_key IS NOT NULL`,
    );
  }

  function keysOf({ jobs }: Owned): string[] {
    const attempted = [jobs.running, jobs.lost, jobs.succeeded, jobs.savedRow, jobs.failedRow, jobs.endedRow];
    return attempted.map((id) => `captures/${id}/1.png`);
  }

  /** The rows of all tables as texts, whichever columns they have. */
  async function allRows(): Promise<string[]> {
    const { rows: tables } = await service.database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    const each = tables.map(({ name }) => `SELECT '${name} ' || to_jsonb(t)::text AS row FROM ${name} AS t`);
    const { rows } = await service.database.query<{ row: string }>(each.join(' UNION ALL '));
    return rows.map(({ row }) => row).sort();
  }

  const rowsLeft = async (): Promise<string[]> => (await allRows()).filter((row) => OF_OWN.test(row));
  const isTrail = (row: string): boolean => row.startsWith('audit_events ');

  it('begins by revoking its keys, once, and refusing new work', async () => {
    const [accounts, keys] = [service.app.get(AccountsService), service.app.get(ApiKeysService)];
    const begin = () =>
      service.app.get(DatabaseService).transaction(async (transaction) => {
        const isFirst = await accounts.beginDeletion(transaction, own.accountId, COMMAND);
        if (isFirst) await keys.revokeAllOf(transaction, own.accountId, COMMAND);
        return isFirst;
      });
    expect([await begin(), await begin()]).toEqual([true, false]);
    const account = await accounts.findById(own.accountId);
    expect([account?.deletingAt, account?.pausedAt]).toEqual([expect.any(Date), expect.any(Date)]);
    expect((await keys.list()).filter(({ revokedAt }) => revokedAt === null)).toHaveLength(2);
  });

  it('stops when the store is down, and keeps the rows that name files', async () => {
    storage.failures = 1_000;
    await expect(deletion().run(signal)).rejects.toMatchObject({ code: 'storage_unavailable' });
    const left = await rowsLeft();
    expect(left.filter((row) => /^jobs .*"status": "(queued|running)"/.test(row))).toEqual([]);
    expect(left.filter((row) => row.startsWith('jobs ')).length).toBeGreaterThan(4);
    expect(left.filter((row) => row.startsWith('monitor'))).toEqual([]);
  });

  it('goes on, and waits for workers that may still store a file', async () => {
    storage.failures = 0;
    await deletion().run(signal);
    const waiting = (await rowsLeft()).filter((row) => row.startsWith('jobs '));
    expect(waiting).toHaveLength(2);
    for (const id of [own.jobs.running, own.jobs.lost]) {
      expect(waiting.some((row) => row.includes(id))).toBe(true);
    }
    // As if ten minutes had passed.
    await service.database.query(`UPDATE jobs SET finished_at = finished_at - interval '11 min'
                                   WHERE account_id = '${own.accountId}'`);
  });

  it('leaves no row and no file of it anywhere, but what the audit trail says', async () => {
    await deletion().run(signal);
    const left = await rowsLeft();
    expect(left.filter((row) => !isTrail(row))).toEqual([]);
    expect(left.filter((row) => row.includes('account.deleted'))).toHaveLength(1);
    for (const key of keysOf(own)) await expect(storage.read(key)).rejects.toBeInstanceOf(Error);
  });

  it('leaves everything of other accounts', async () => {
    const rows = (await allRows()).filter((row) => /a{8}-0000-4000-8000-\d{12}|key-of-other/.test(row));
    const tables = new Set(rows.map((row) => row.split(' ')[0]));
    expect(tables.size).toBe(new Set(rowsOf('other', new Date()).map(([table]) => table)).size);
    expect(rows).toHaveLength(rowsOf('other', new Date()).length);
    for (const key of keysOf(other)) (await storage.read(key)).destroy();
  });

  it('has nothing left to do', async () => {
    await deletion().run(signal);
    expect((await rowsLeft()).filter((row) => row.includes('account.deleted'))).toHaveLength(1);
  });
});
