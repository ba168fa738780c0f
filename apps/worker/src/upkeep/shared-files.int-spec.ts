import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import {
  IdempotencyKeyModule,
  JobCacheModule,
  JobExpiryModule,
  JobExpiryRepository,
  JobHistoryModule,
  JobSumsRepository,
  KeptCaptureRepository,
  SharedFilesRepository,
} from '@app/jobs';
import { Storage, StorageModule } from '@app/storage';
import { WebhooksModule } from '@app/webhooks';
import type { TestDatabase } from '../../../../test/support/database.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { SharedCaptures } from '../../../../test/support/shared-captures.js';
import { CaptureFilesService } from '../captures/capture-files.service.js';
import { FileExpiryService } from './file-expiry.service.js';
import { RecordExpiryService } from './record-expiry.service.js';

const DAY_S = 86_400;
const RECORD_TTL_DAYS = 10;
const { signal } = new AbortController();

describe('files that several records show', () => {
  let folder: string;
  let services: StartedModules[];
  let app: INestApplicationContext;
  let client: TestDatabase;
  let files: FileExpiryService;
  let records: RecordExpiryService;
  let captures: SharedCaptures;
  let accountId: string;

  /** A process of the service, with connections of its own. */
  const start = async (database?: TestDatabase): Promise<StartedModules> =>
    startJobs({
      ...(database && { database }),
      imports: [
        DatabaseModule,
        IdempotencyKeyModule,
        JobCacheModule,
        JobExpiryModule,
        JobHistoryModule,
        StorageModule,
        WebhooksModule,
      ],
      providers: [CaptureFilesService, FileExpiryService, RecordExpiryService],
      settings: { FILES_DIR: folder, RECORD_TTL_S: String(RECORD_TTL_DAYS * DAY_S) },
    });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'shared-files-'));
    const first = await start();
    services = [first, await start(first.database), await start(first.database)];
    ({ app, database: client } = first);
    files = app.get(FileExpiryService);
    records = app.get(RecordExpiryService);
  });

  afterAll(async () => {
    for (const service of services.reverse()) await service.close();
    await rm(folder, { recursive: true });
  });

  beforeEach(async () => {
    await client.query(`TRUNCATE jobs, cache_entries, shared_files, job_hours, job_hours_stale`);
    await client.query(`UPDATE job_orphaned_files_swept SET finished_at = 'epoch'`);
    await rm(path.join(folder, 'captures'), { recursive: true, force: true });
    accountId = await client.addAccount();
    captures = new SharedCaptures(app, client, accountId);
  });

  /** One run of the steps of expiry that concern files, in their order. */
  const expireAll = async (): Promise<void> => {
    await files.deleteExpired(signal);
    await files.deleteOrphaned(signal);
    await records.deleteRecords(signal);
    await files.deleteCacheEntries(signal);
    await files.deleteShared(signal);
  };
  const count = async (table: string): Promise<number> =>
    (await client.query(`SELECT FROM ${table}`)).rowCount ?? 0;
  const addHit = async (id: string): Promise<string> => {
    const hit = await captures.addHit(id);
    if (hit === null) throw new Error(`The files of ${id} are not held`);
    return hit;
  };
  const filesLeft = async (): Promise<string[]> =>
    (await readdir(path.join(folder, 'captures'), { recursive: true, withFileTypes: true }).catch(() => []))
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);

  it('are deleted with the row and the entry when a capture that nobody else shows expires', async () => {
    const ends = ['.png', 'n2.pdf', 'n3.txt'];
    const id = await captures.make({ ends });
    await expireAll();
    expect(await captures.endsOf(id, 1, ends)).toEqual(['1.png', '1n2.pdf', '1n3.txt']);
    await captures.expire(id);
    await captures.expireEntries();
    await expireAll();
    expect(await filesLeft()).toEqual([]);
    expect([await count('shared_files'), await count('cache_entries')]).toEqual([0, 0]);
    const { rows } = await client.query(`SELECT result_key, bytes FROM jobs`);
    expect(rows).toEqual([{ result_key: null, bytes: 5 }]);
  });

  it('live as long as the longest of the records that show them', async () => {
    const id = await captures.make();
    const hits = [await addHit(id), await addHit(id)];
    await captures.expire(id, hits[0] ?? '');
    await expireAll();
    expect(await captures.endsOf(id)).toEqual(['1.png']);
    const { rows } = await client.query(
      `SELECT check_at = (SELECT expires_at FROM jobs WHERE id = $1) AS "isNoted" FROM shared_files`,
      [hits[1]],
    );
    expect(rows).toEqual([{ isNoted: true }]);
    await captures.expire(hits[1] ?? '');
    await expireAll();
    expect(await filesLeft()).toEqual([]);
    expect(await count('shared_files')).toBe(0);
  });

  it('outlive the record of the capture that made them', async () => {
    const id = await captures.make({ attempt: 2 });
    const hit = await addHit(id);
    await client.query(
      `UPDATE jobs SET created_at = now() - $2 * interval '1 s', finished_at = now() - $2 * interval '1 s' WHERE id = $1`,
      [id, (RECORD_TTL_DAYS + 1) * DAY_S],
    );
    await app.get(JobSumsRepository).bringUpToDate();
    await expireAll();
    expect((await client.query(`SELECT id FROM jobs`)).rows).toEqual([{ id: hit }]);
    expect(await captures.endsOf(id, 2)).toEqual(['2.png']);
    await captures.expire(hit);
    await expireAll();
    expect(await filesLeft()).toEqual([]);
  });

  it.each([
    ['the sweep of orphaned files', () => files.deleteOrphaned(signal)],
    ['the expiry of the capture', () => files.deleteExpired(signal)],
  ])('stay while earlier attempts are deleted by %s', async (_, step) => {
    const ends = ['.png', 'n2.pdf'];
    const id = await captures.make({ attempt: 3, ends });
    const hit = await addHit(id);
    await client.query(`UPDATE jobs SET finished_at = now() - interval '1 hour' WHERE id = $1`, [id]);
    await captures.expire(id);
    await step();
    await files.deleteShared(signal);
    expect(await captures.endsOf(id, 3, ends)).toEqual(['3.png', '3n2.pdf']);
    await captures.expire(id, hit);
    await expireAll();
    expect(await filesLeft()).toEqual([]);
  });

  it('of an attempt of a hit that had run before belong to the hit', async () => {
    const id = await captures.make();
    const hit = await addHit(id);
    await client.query(`UPDATE jobs SET attempt = 1 WHERE id = $1`, [hit]);
    await app.get(Storage).put(`captures/${hit}/1.png`, Buffer.from('lost'));
    await captures.expire(hit);
    await expireAll();
    expect([await captures.endsOf(hit), await captures.endsOf(id)]).toEqual([[], ['1.png']]);
  });

  it('are kept by an entry of the cache, until it expires', async () => {
    const id = await captures.make();
    await client.query(`UPDATE jobs SET result_key = NULL WHERE id = $1`, [id]);
    await client.query(`UPDATE shared_files SET check_at = now()`);
    await expireAll();
    expect(await captures.endsOf(id)).toEqual(['1.png']);
    await captures.expireEntries();
    await expireAll();
    expect(await filesLeft()).toEqual([]);
  });

  it('are no longer kept by an entry once the capture that made them has expired', async () => {
    const id = await captures.make();
    // As a process leaves it that looks for an answer.
    await client.query(`UPDATE cache_entries SET kept_until = now() + interval '1 hour'`);
    await captures.expire(id);
    await expireAll();
    expect(await filesLeft()).toEqual([]);
    expect((await client.query(`SELECT capture_id FROM cache_entries`)).rows).toEqual([{ capture_id: null }]);
  });

  it('of a capture that a newer one replaces in the cache expire with its records', async () => {
    const cacheKey = randomBytes(32);
    const id = await captures.make({ cacheKey });
    const newer = await captures.make({ cacheKey });
    await captures.expire(id);
    await expireAll();
    expect([await captures.endsOf(id), await captures.endsOf(newer)]).toEqual([[], ['1.png']]);
  });

  it('can be held only until they are marked as unneeded or closed', async () => {
    const [unneeded, closed] = [await captures.make(), await captures.make()];
    await addHit(unneeded);
    await addHit(closed);
    await app.get(KeptCaptureRepository).forget(closed);
    await client.query(`UPDATE shared_files SET doomed_at = now() WHERE id = $1`, [unneeded]);
    expect([await captures.addHit(unneeded), await captures.addHit(closed)]).toEqual([null, null]);
    expect(await count('jobs')).toBe(4);
    await files.deleteShared(signal);
    expect(await captures.endsOf(closed)).toEqual(['1.png']);
  });

  it('are looked at by the next run after the cache has forgotten them', async () => {
    const id = await captures.make();
    const isDue = async (): Promise<unknown> =>
      (await client.query(`SELECT check_at <= now() AS due FROM shared_files WHERE id = $1`, [id])).rows;
    expect(await isDue()).toEqual([{ due: false }]);
    await app.get(KeptCaptureRepository, { strict: false }).forget(id);
    expect(await isDue()).toEqual([{ due: true }]);
  });

  it('are deleted by the next run when a process died after it had marked them', async () => {
    const id = await captures.make();
    await client.query(`UPDATE shared_files SET doomed_at = now(), check_at = now()`);
    await client.query(`UPDATE jobs SET result_key = NULL`);
    await files.deleteShared(signal);
    expect(await captures.endsOf(id)).toEqual([]);
    expect(await count('shared_files')).toBe(0);
  });

  it('that cannot be deleted do not block others, and are tried again', async () => {
    const [stuck, other] = [await captures.make(), await captures.make()];
    // The store cannot delete a folder in place of the file.
    const file = path.join(folder, 'captures', stuck, '1.png');
    await rm(file);
    await mkdir(file);
    await captures.expire(stuck, other);
    await files.deleteExpired(signal);
    for (let i = 0; i < 2; i++)
      await expect(files.deleteShared(signal)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect((await client.query(`SELECT id FROM shared_files`)).rows).toEqual([{ id: stuck }]);
    expect(await captures.endsOf(other)).toEqual([]);
    await rm(file, { recursive: true });
    await files.deleteShared(signal);
    expect(await count('shared_files')).toBe(0);
  });

  it('are not looked at again at once while something holds them', async () => {
    const id = await captures.make();
    await client.query(`UPDATE jobs SET expires_at = now() - interval '1 hour'`);
    await client.query(`UPDATE cache_entries SET kept_until = now() - interval '1 hour'`);
    await client.query(`UPDATE shared_files SET check_at = now() - interval '1 hour'`);
    await files.deleteShared(signal);
    expect(await captures.endsOf(id)).toEqual(['1.png']);
    expect(
      (await client.query(`SELECT FROM shared_files WHERE check_at <= now() + interval '30 s'`)).rowCount,
    ).toBe(0);
  });

  it('skips files that a transaction is about to show, without waiting for it', async () => {
    const id = await captures.make();
    await captures.expire(id);
    await captures.expireEntries();
    await using other = await client.session();
    await other.query('BEGIN');
    await other.query('SELECT FROM shared_files WHERE id = $1 FOR KEY SHARE', [id]);
    await expireAll();
    expect(await captures.endsOf(id)).toEqual(['1.png']);
    await other.query('ROLLBACK');
    await expireAll();
    expect(await filesLeft()).toEqual([]);
  });

  it('keeps an entry that an unfinished job leads', async () => {
    await captures.make();
    const leader = await captures.make();
    await client.query(`UPDATE cache_entries SET leader_id = $1`, [leader]);
    await captures.expireEntries();
    for (const [status, left] of [
      ['queued', 2],
      ['running', 2],
      ['failed', 0],
    ] as const) {
      await client.query(`UPDATE jobs SET status = $2, verdict = NULL WHERE id = $1`, [leader, status]);
      await files.deleteCacheEntries(signal);
      expect(await count('cache_entries')).toBe(left);
    }
  });

  it('processes more than one page', async () => {
    const id = await captures.make();
    await client.query(
      `INSERT INTO shared_files (id, account_id, keys, check_at)
       SELECT gen_random_uuid(), account_id, '{}', now() FROM shared_files, generate_series(1, 1200)`,
    );
    await client.query(
      `INSERT INTO cache_entries (account_id, key, kept_until)
       SELECT account_id, decode(md5(n::text), 'hex'), now() - interval '1 s' FROM shared_files, generate_series(1, 1200) AS n
        WHERE id = $1`,
      [id],
    );
    await files.deleteShared(signal);
    await files.deleteCacheEntries(signal);
    expect((await client.query(`SELECT id FROM shared_files`)).rows).toEqual([{ id }]);
    expect(await count('cache_entries')).toBe(1);
  });

  it('are there for every record that shows them, and gone without one, while many come and go', async () => {
    const ROUNDS = 100;
    const CALLERS = 8;
    const seen = { shown: 0, refused: 0, lost: 0 };
    const newest = await Promise.all(Array.from({ length: 3 }, () => captures.make()));
    const everyone = services.map(({ app: each }) => ({
      captures: new SharedCaptures(each, client, accountId),
      files: each.get(FileExpiryService),
      jobs: each.get(JobExpiryRepository),
      shared: each.get(SharedFilesRepository),
      storage: each.get(CaptureFilesService),
    }));
    await client.query(`DELETE FROM cache_entries`);
    let busy = true;

    const call = async (caller: number): Promise<void> => {
      const own = everyone[caller % everyone.length];
      if (!own) throw new Error('There is no process');
      for (let round = 0; round < ROUNDS; round++) {
        const place = (round + caller) % newest.length;
        const origin = newest[place] ?? '';
        const hit = await own.captures.addHit(origin);
        if (hit === null) {
          seen.refused++;
          if (newest[place] !== origin) continue;
          newest[place] = await own.captures.make();
          await client.query(`DELETE FROM cache_entries`);
          continue;
        }
        seen.shown++;
        if (!(await own.captures.hasFile(`captures/${origin}/1.png`))) seen.lost++;
        // Its maker expires as well, so that the files have no other holder now and then.
        await own.jobs.forgetFiles([hit, origin]);
        // As a deletion on request does, which does not wait for the expiry.
        const files = round % 4 === 0 ? await own.shared.markUnneeded(origin) : null;
        if (files?.isUnneeded !== true) continue;
        await own.storage.delete(files.keys);
        await own.shared.remove([origin]);
      }
    };
    const expire = async (process: number): Promise<void> => {
      while (busy) await everyone[process]?.files.deleteShared(signal);
    };
    const expiring = [0, 1, 2].map(expire);
    await Promise.all(Array.from({ length: CALLERS }, (_, i) => call(i))).finally(() => (busy = false));
    await Promise.all(expiring);

    expect(seen.lost).toBe(0);
    // Both outcomes of the race were seen.
    expect(seen.shown).toBeGreaterThan(ROUNDS / 2);
    expect(seen.refused).toBeGreaterThan(ROUNDS / 10);
    await client.query(`UPDATE jobs SET result_key = NULL`);
    await client.query(`UPDATE shared_files SET check_at = now()`);
    await files.deleteShared(signal);
    expect([await count('shared_files'), await filesLeft()]).toEqual([0, []]);
  });
});
