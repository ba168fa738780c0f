import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { BatchUpkeepModule } from '@app/bulk';
import {
  IdempotencyKeyModule,
  JobCacheModule,
  JobExpiryModule,
  JobHistoryModule,
  JobStatsRepository,
  JobSumsRepository,
} from '@app/jobs';
import { DatabaseModule } from '@app/database';
import { newId } from '@app/kernel';
import { Storage, StorageModule } from '@app/storage';
import { WebhooksModule } from '@app/webhooks';
import type { TestDatabase } from '../../../../test/support/database.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { CaptureFilesService } from '../captures/capture-files.service.js';
import { BatchExpiryService } from './batch-expiry.service.js';
import { FileExpiryService } from './file-expiry.service.js';
import { RecordExpiryService } from './record-expiry.service.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RECORD_TTL_DAYS = 10;

type Row = Record<string, unknown>;

describe('expiry', () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;
  let folder: string;
  let storage: Storage;
  let files: FileExpiryService;
  let records: RecordExpiryService;
  let batches: BatchExpiryService;
  let accountId: string;
  const { signal } = new AbortController();

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'expiry-'));
    service = await startJobs({
      imports: [
        BatchUpkeepModule,
        DatabaseModule,
        IdempotencyKeyModule,
        JobCacheModule,
        JobExpiryModule,
        JobHistoryModule,
        StorageModule,
        WebhooksModule,
      ],
      providers: [BatchExpiryService, CaptureFilesService, FileExpiryService, RecordExpiryService],
      settings: { FILES_DIR: folder, RECORD_TTL_S: String((RECORD_TTL_DAYS * DAY_MS) / 1_000) },
    });
    ({ app, database: client } = service);
    storage = app.get(Storage);
    files = app.get(FileExpiryService);
    records = app.get(RecordExpiryService);
    batches = app.get(BatchExpiryService);
  });

  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  beforeEach(async () => {
    await client.query(
      `TRUNCATE batches, jobs, job_hours, job_hours_stale, webhook_deliveries, idempotency_keys`,
    );
    await client.query(
      `UPDATE job_hours_summed SET until = date_trunc('hour', now() - interval '60 days', 'UTC')`,
    );
    await client.query(`UPDATE job_orphaned_files_swept SET finished_at = 'epoch'`);
    accountId = await client.addAccount();
  });

  const ago = (ms: number): Date => new Date(Date.now() - ms);
  const insert = async (table: string, row: Row): Promise<void> => {
    const names = Object.keys(row);
    await client.query(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
      Object.values(row),
    );
  };
  const fileOf = (id: string, attempt = 1): string => `captures/${id}/${attempt}.png`;

  /** Adds a job that ended `ageMs` ago and names no file, with files of these attempts in the store. */
  async function addJob(ageMs: number, more: Row = {}, stored: readonly number[] = []): Promise<string> {
    const id = newId();
    await insert('jobs', {
      id,
      account_id: accountId,
      source: 'job',
      status: 'succeeded',
      format: 'png',
      options: '{}',
      timeout_ms: 60_000,
      usage_period: 'ever',
      attempt: 1,
      bytes: 100,
      queue_ms: 4,
      total_ms: 8,
      created_at: ago(ageMs + 1_000),
      finished_at: ago(ageMs),
      ...more,
    });
    for (const attempt of stored) await storage.put(fileOf(id, attempt), Buffer.from('a picture'));
    return id;
  }
  const addAged = (more: Row = {}, stored: readonly number[] = []): Promise<string> =>
    addJob((RECORD_TTL_DAYS + 1) * DAY_MS, more, stored);

  const idsOf = async (table: string): Promise<string[]> =>
    (await client.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).rows.map(({ id }) => id);
  const storedOf = (id: string): Promise<string[]> =>
    readdir(path.join(folder, 'captures', id)).then(
      (names) => names.sort(),
      () => [],
    );
  const sumUp = (): Promise<void> => app.get(JobSumsRepository).bringUpToDate();

  describe('of files', () => {
    it('deletes expired files, and keeps their records', async () => {
      const addStored = async (expiresAt: Date): Promise<string> => {
        const id = await addJob(HOUR_MS, { expires_at: expiresAt }, [1]);
        await client.query(`UPDATE jobs SET result_key = $2 WHERE id = $1`, [id, fileOf(id)]);
        return id;
      };
      const over = await addStored(ago(1_000));
      const current = await addStored(ago(-60_000));
      await files.deleteExpired(signal);
      expect(await storedOf(over)).toEqual([]);
      expect(await storedOf(current)).toEqual(['1.png']);
      const { rows } = await client.query(`SELECT id, result_key FROM jobs ORDER BY id`);
      expect(rows).toEqual([
        { id: over, result_key: null },
        { id: current, result_key: fileOf(current) },
      ]);
    });

    it('deletes all files of a capture with several: expired ones, orphaned ones, and with the record', async () => {
      const others = ['pdf', 'txt'];
      const keysOf = (id: string, attempt: number): string[] =>
        ['.png', 'n2.pdf', 'n3.txt'].map((end) => `captures/${id}/${attempt}${end}`);
      const stored = async (id: string, attempts: readonly number[]): Promise<string[]> => {
        const keys = attempts.flatMap((attempt) => keysOf(id, attempt));
        for (const key of keys) await storage.put(key, Buffer.from('a file'));
        return keys;
      };
      const left = async (keys: readonly string[]): Promise<string[]> => {
        const isThere = async (key: string): Promise<unknown> => (await storage.read(key)).destroy();
        const found = await Promise.allSettled(keys.map(isThere));
        return keys.filter((_, i) => found[i]?.status === 'fulfilled');
      };
      const named = async (id: string, attempt: number): Promise<void> => {
        await client.query('UPDATE jobs SET result_key = $2 WHERE id = $1', [id, keysOf(id, attempt)[0]]);
      };
      const row = { other_extensions: others, attempt: 2 };
      // The first attempt of each lost its worker after it had stored its files.
      const expired = await addJob(DAY_MS, { ...row, expires_at: ago(1_000) });
      const kept = await addJob(HOUR_MS, { ...row, expires_at: ago(-DAY_MS) });
      const failed = await addJob(HOUR_MS, { ...row, status: 'failed', error: { code: 'internal' } });
      const aged = await addAged({ ...row, status: 'failed', error: { code: 'internal' } });
      const keys = [];
      for (const id of [expired, kept, failed, aged]) keys.push(await stored(id, [1, 2]));
      await named(expired, 2);
      await named(kept, 2);

      await files.deleteExpired(signal);
      expect(await Promise.all(keys.map(left))).toEqual([[], keys[1], keys[2], keys[3]]);
      await sumUp();
      await records.deleteRecords(signal);
      expect(await left(keys[3] ?? [])).toEqual([]);
      await files.deleteOrphaned(signal);
      expect(await Promise.all(keys.map(left))).toEqual([[], keysOf(kept, 2), [], []]);
    });

    it('continues after a file that cannot be deleted, and keeps its name in the row', async () => {
      const stuck = await addJob(HOUR_MS, { expires_at: ago(2_000) });
      const over = await addJob(HOUR_MS, { expires_at: ago(1_000) }, [1]);
      await client.query(`UPDATE jobs SET result_key = 'captures/' || id || '/1.png'`);
      // The store cannot delete a folder in place of the file.
      await mkdir(path.join(folder, fileOf(stuck)), { recursive: true });
      await expect(files.deleteExpired(signal)).rejects.toMatchObject({ code: 'storage_unavailable' });
      const { rows } = await client.query(`SELECT id FROM jobs WHERE result_key IS NOT NULL`);
      expect(rows).toEqual([{ id: stuck }]);
      expect(await storedOf(over)).toEqual([]);
      await rm(path.join(folder, 'captures', stuck), { recursive: true });
      await files.deleteExpired(signal);
      expect((await client.query(`SELECT FROM jobs WHERE result_key IS NOT NULL`)).rowCount).toBe(0);
    });

    it('processes more than one page', async () => {
      await Promise.all(Array.from({ length: 30 }, () => addJob(HOUR_MS, { expires_at: ago(1_000) }, [1])));
      await client.query(
        `
        INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, attempt, expires_at)
        SELECT gen_random_uuid(), $1, 'job', 'succeeded', 'png', '{}', 1, 'ever', 1, now() - interval '1 h'
          FROM generate_series(1, 1200)`,
        [accountId],
      );
      await client.query(`UPDATE jobs SET result_key = 'captures/' || id || '/1.png'`);
      await files.deleteExpired(signal);
      expect((await client.query(`SELECT FROM jobs WHERE result_key IS NOT NULL`)).rowCount).toBe(0);
      for (const id of await idsOf('jobs')) expect(await storedOf(id)).toEqual([]);
    });

    it.each([
      ['succeeded at a later attempt', { status: 'succeeded', attempt: 3 }, 2, ['2.png']],
      ['failed at a later attempt', { status: 'failed', attempt: 3 }, null, []],
      ['was canceled while it ran', { status: 'canceled', attempt: 3 }, null, []],
    ] as const)('deletes the orphaned files of a job that %s', async (_, row, named, left) => {
      const id = await addJob(HOUR_MS, row, [1, 2]);
      if (named !== null) await client.query(`UPDATE jobs SET result_key = $1`, [fileOf(id, named)]);
      await files.deleteOrphaned(signal);
      expect(await storedOf(id)).toEqual(left);
    });

    it('deletes orphaned files only once no worker can be storing, and sweeps each job once', async () => {
      const recent = await addJob(60_000, { status: 'canceled' }, [1]);
      await files.deleteOrphaned(signal);
      expect(await storedOf(recent)).toEqual(['1.png']);
      await client.query(`UPDATE jobs SET finished_at = now() - interval '1 hour'`);
      await files.deleteOrphaned(signal);
      expect(await storedOf(recent)).toEqual([]);
      await storage.put(fileOf(recent), Buffer.from('a sign'));
      await files.deleteOrphaned(signal);
      expect(await storedOf(recent)).toEqual(['1.png']);
    });

    it('does not touch the file of a job that succeeded at once, or has not ended', async () => {
      const ids = [
        await addJob(HOUR_MS, {}, [1]),
        await addJob(HOUR_MS, { status: 'running', attempt: 2, finished_at: null }, [1, 2]),
      ];
      await files.deleteOrphaned(signal);
      expect(await Promise.all(ids.map(storedOf))).toEqual([['1.png'], ['1.png', '2.png']]);
    });

    it('deletes partial uploads of killed workers, and keeps current ones', async () => {
      const incoming = path.join(folder, 'incoming');
      await mkdir(incoming, { recursive: true });
      const [left, fresh] = [path.join(incoming, newId()), path.join(incoming, newId())];
      for (const file of [left, fresh]) await writeFile(file, 'half a fi');
      await utimes(left, ago(2 * HOUR_MS), ago(2 * HOUR_MS));
      await files.deleteIncoming();
      expect(await readdir(incoming)).toEqual([path.basename(fresh)]);
    });

    it('retries orphaned files that the store could not delete', async () => {
      const id = await addJob(HOUR_MS, { status: 'failed' });
      await mkdir(path.join(folder, fileOf(id)), { recursive: true });
      await expect(files.deleteOrphaned(signal)).rejects.toMatchObject({ code: 'storage_unavailable' });
      await rm(path.join(folder, fileOf(id)), { recursive: true });
      await writeFile(path.join(folder, fileOf(id)), 'left');
      await files.deleteOrphaned(signal);
      expect(await storedOf(id)).toEqual([]);
    });
  });

  describe('of records', () => {
    it('deletes old records with their files and deliveries, and keeps younger ones', async () => {
      const aged = await addAged({ status: 'failed', attempt: 2 }, [1, 2]);
      const young = await addJob((RECORD_TTL_DAYS - 1) * DAY_MS, {}, [1]);
      for (const [subject, state] of [
        [aged, 'delivered'],
        [aged, 'pending'],
        [young, 'delivered'],
      ]) {
        await insert('webhook_deliveries', {
          id: newId(),
          account_id: accountId,
          subject_id: subject,
          type: 'capture.failed',
          url: 'https://example.com/',
          host: 'example.com',
          body: '{}',
          state,
          finished_at: state === 'pending' ? null : ago(DAY_MS),
        });
      }
      await sumUp();
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toEqual([young]);
      expect(await storedOf(aged)).toEqual([]);
      expect(await storedOf(young)).toEqual(['1.png']);
      const { rows } = await client.query(
        `SELECT subject_id, state FROM webhook_deliveries ORDER BY state, 1`,
      );
      expect(rows).toEqual([
        { subject_id: young, state: 'delivered' },
        // A pending delivery contains all that it sends.
        { subject_id: aged, state: 'pending' },
      ]);
    });

    it('deletes many in one run: the next one is a minute away', async () => {
      await client.query(
        `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, attempt,
                           created_at, finished_at)
         SELECT gen_random_uuid(), $1, 'job', 'succeeded', 'png', '{}', 60000, 'ever', 1, at, at
           FROM generate_series(1, 10500) AS n, LATERAL (SELECT $2::timestamptz - n * interval '1 ms' AS at) AS made`,
        [accountId, ago((RECORD_TTL_DAYS + 1) * DAY_MS)],
      );
      await sumUp();
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toEqual([]);
    });

    it('leaves the hourly statistics unchanged', async () => {
      await addAged();
      await addAged({ status: 'failed', error_code: 'internal' });
      await sumUp();
      const range = { from: Date.now() - 30 * DAY_MS, to: Date.now() };
      const read = () => app.get(JobStatsRepository).read(accountId, range, 'day');
      const before = await read();
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toEqual([]);
      await sumUp();
      expect(await read()).toEqual(before);
      expect((await client.query(`SELECT FROM job_hours_stale`)).rowCount).toBe(0);
    });

    it('marks statistics as stale after any other deletion', async () => {
      const id = await addAged();
      await sumUp();
      await client.query(`DELETE FROM jobs WHERE id = $1`, [id]);
      expect((await client.query(`SELECT FROM job_hours_stale`)).rowCount).toBe(1);
    });

    it('keeps records of hours without a final sum', async () => {
      await addAged();
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toHaveLength(1);
      await sumUp();
      await client.query(
        `INSERT INTO job_hours_stale SELECT account_id, date_trunc('hour', created_at, 'UTC') FROM jobs`,
      );
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toHaveLength(1);
      await sumUp();
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toEqual([]);
    });

    it('keeps records of an hour with an unfinished job', async () => {
      const created = ago((RECORD_TTL_DAYS + 2) * DAY_MS);
      await addAged({ created_at: created });
      const open = await addAged({ created_at: created, status: 'running', finished_at: null });
      await sumUp();
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toHaveLength(2);
      await client.query(`UPDATE jobs SET status = 'failed', finished_at = now() WHERE id = $1`, [open]);
      await sumUp();
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toEqual([open]);
      const { rows } = await client.query(
        `SELECT value, captures FROM job_hours WHERE measure = 'status' ORDER BY 1`,
      );
      expect(rows).toEqual([
        { value: 'failed', captures: 1 },
        { value: 'succeeded', captures: 1 },
      ]);
    });

    it('keeps no record because of what another account did in the same hour', async () => {
      const created = ago((RECORD_TTL_DAYS + 2) * DAY_MS);
      const own = await addAged({ created_at: created });
      const [unfinished, stale] = [await client.addAccount(), await client.addAccount()];
      const others = [
        await addAged({ created_at: created, account_id: unfinished }),
        await addAged({ created_at: created, account_id: unfinished, status: 'running', finished_at: null }),
        await addAged({ created_at: created, account_id: stale }),
      ];
      await sumUp();
      await client.query(
        `INSERT INTO job_hours_stale SELECT account_id, date_trunc('hour', created_at, 'UTC') FROM jobs
          WHERE account_id = $1`,
        [stale],
      );
      await records.deleteRecords(signal);
      const left = await idsOf('jobs');
      expect(left).not.toContain(own);
      expect(left).toEqual(others.sort());
    });

    it('keeps the rows of a batch while one of them is unfinished', async () => {
      const batch = { batch_id: newId() };
      await addAged({ batch_id: newId() });
      const ended = await addAged(batch);
      const open = await addJob(0, { ...batch, status: 'queued', finished_at: null });
      await sumUp();
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toEqual([ended, open].sort());
      await client.query(`UPDATE jobs SET status = 'canceled', finished_at = now() WHERE id = $1`, [open]);
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toEqual([open]);
    });

    it('never deletes an unfinished job, however old', async () => {
      const ids = [
        await addAged({ status: 'queued', finished_at: null }),
        await addAged({ status: 'running', finished_at: null }),
      ];
      await records.deleteRecords(signal);
      expect(await idsOf('jobs')).toEqual(ids.sort());
    });

    it('keeps a record whose file cannot be deleted', async () => {
      const stuck = await addAged({ status: 'failed' });
      await addAged();
      await mkdir(path.join(folder, fileOf(stuck)), { recursive: true });
      await sumUp();
      await expect(records.deleteRecords(signal)).rejects.toMatchObject({ code: 'storage_unavailable' });
      expect(await idsOf('jobs')).toEqual([stuck]);
    });
  });

  it('deletes the record of a batch after those of its rows, with its deliveries', async () => {
    const batchOf = async (ageDays: number): Promise<string> => {
      const id = newId();
      const finished = ago(ageDays * DAY_MS);
      const batch = { id, account_id: accountId, status: 'completed', total: 1, succeeded: 1 };
      await insert('batches', { ...batch, finished_at: finished, webhook_url: 'https://example.com/' });
      await client.query(`UPDATE batches SET announced_at = finished_at WHERE id = $1`, [id]);
      return id;
    };
    const over = await batchOf(RECORD_TTL_DAYS + 1);
    const young = await batchOf(RECORD_TTL_DAYS - 1);
    await addAged({ batch_id: over, batch_row: 1 });
    const event = {
      type: 'batch.completed',
      url: 'https://example.com/',
      host: 'example.com',
      body: '{}',
    };
    for (const subject of [over, young]) {
      const delivery = { id: newId(), account_id: accountId, subject_id: subject, ...event };
      await insert('webhook_deliveries', { ...delivery, state: 'delivered', finished_at: ago(HOUR_MS) });
    }
    await batches.deleteRecords(signal);
    expect(await idsOf('batches')).toEqual([over, young].sort());
    await sumUp();
    await records.deleteRecords(signal);
    await batches.deleteRecords(signal);
    expect(await idsOf('batches')).toEqual([young]);
    const { rows } = await client.query(`SELECT subject_id FROM webhook_deliveries`);
    expect(rows).toEqual([{ subject_id: young }]);
  });

  it('deletes Idempotency-Keys after a day, and old deliveries', async () => {
    for (const [key, ageMs] of [
      ['old', 25 * HOUR_MS],
      ['new', 23 * HOUR_MS],
    ] as const) {
      await insert('idempotency_keys', {
        account_id: accountId,
        key,
        fingerprint: Buffer.alloc(32),
        subject_id: newId(),
        created_at: ago(ageMs),
      });
    }
    const delivery = (finishedAt: Date): Row => ({
      id: newId(),
      account_id: accountId,
      subject_id: newId(),
      type: 'capture.failed',
      url: 'https://example.com/',
      host: 'example.com',
      body: '{}',
      state: 'delivered',
      finished_at: finishedAt,
    });
    const kept = delivery(ago((RECORD_TTL_DAYS - 1) * DAY_MS));
    await insert('webhook_deliveries', kept);
    await insert('webhook_deliveries', delivery(ago((RECORD_TTL_DAYS + 1) * DAY_MS)));
    await records.deleteKeys(signal);
    await records.deleteDeliveries(signal);
    expect((await client.query(`SELECT key FROM idempotency_keys`)).rows).toEqual([{ key: 'new' }]);
    expect(await idsOf('webhook_deliveries')).toEqual([kept.id]);
  });
});
