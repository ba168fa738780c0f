import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { AttemptsService, SharedFilesRepository } from '@app/jobs';
import { FileNotFoundError, Storage } from '@app/storage';
import { newId } from '@app/kernel';
import type { TestDatabase } from './database.js';
import { SUCCESS } from './jobs.js';

/** What a capture is made with; by default a PNG by the first attempt, for an entry of its own. */
export interface NewCapture {
  readonly attempt?: number;
  readonly cacheKey?: Buffer;
  /** The ends of the names of its files, in the order of the outputs: `.png`, `n2.pdf`. */
  readonly ends?: readonly string[];
}

/** Captures that the cache keeps, and records that show their files, in the place of callers and workers. */
export class SharedCaptures {
  private readonly storage: Storage;

  constructor(
    private readonly app: INestApplicationContext,
    private readonly database: TestDatabase,
    private readonly accountId: string,
  ) {
    this.storage = app.get(Storage);
  }

  /** Makes a capture that has files of all its attempts in the store, and that the cache keeps; returns its id. */
  async make({ attempt = 1, cacheKey = randomBytes(32), ends = ['.png'] }: NewCapture = {}): Promise<string> {
    const id = newId();
    await this.database.query(
      `INSERT INTO jobs (id, account_id, source, status, format, other_extensions, options, timeout_ms, usage_period, attempt,
                         cache_key, started_at, dispatched_at)
       VALUES ($1, $2, 'job', 'running', 'png', $3, '{}', 60000, 'ever', $4, $5, now(), now())`,
      [id, this.accountId, ends.slice(1).map((end) => end.slice(end.indexOf('.') + 1)), attempt, cacheKey],
    );
    for (let i = 1; i <= attempt; i++)
      for (const key of keysOf(id, i, ends)) await this.storage.put(key, Buffer.from(id));
    const [file] = SUCCESS.files;
    const [first = '', ...others] = keysOf(id, attempt, ends);
    const files = [
      { ...file, key: first },
      ...others.map((key, i) => ({ ...file, name: `o${i}`, key })),
    ] as const;
    await this.app.get(AttemptsService).succeed({ id, attempt }, { ...SUCCESS, files });
    return id;
  }

  /** Adds a record that shows the files of a capture, as a hit of the cache does; returns null if it may not. */
  addHit(originId: string): Promise<string | null> {
    const id = newId();
    return this.app.get(DatabaseService).transaction(async (transaction) => {
      const held = await this.app.get(SharedFilesRepository).hold(transaction, [originId]);
      if (!held.has(originId)) return null;
      await transaction.query(
        `WITH hit AS (
         INSERT INTO jobs (id, account_id, source, status, format, other_extensions, options, timeout_ms, usage_period,
                           cache_key, cache_status, cache_age_s, origin_id, finished_at, expires_at,
                           result_key, content_type, bytes, total_bytes, sha256, other_files)
         SELECT $1, account_id, 'job', 'succeeded', format, other_extensions, '{}', timeout_ms, usage_period, cache_key, 'hit',
                3, id, now(), now() + interval '1 hour', 'captures/' || id || '/' || attempt || '.png', content_type, bytes,
                total_bytes, sha256, other_files
           FROM jobs WHERE id = $2 RETURNING *)
         INSERT INTO capture_files SELECT file.* FROM hit, files_of_job(hit) AS file`,
        [id, originId],
      );
      return id;
    });
  }

  /** Makes files of these records expire now. */
  async expire(...ids: readonly string[]): Promise<void> {
    await this.database.query(
      `UPDATE jobs SET expires_at = now() - interval '1 ms' WHERE id = ANY($1) AND result_key IS NOT NULL`,
      [ids],
    );
  }

  /** Makes all entries of the cache, and what is due later, due now. */
  async expireEntries(): Promise<void> {
    await this.database.query(`UPDATE cache_entries SET kept_until = now() - interval '1 ms'`);
  }

  async hasFile(key: string): Promise<boolean> {
    try {
      (await this.storage.read(key)).destroy();
      return true;
    } catch (error) {
      if (error instanceof FileNotFoundError) return false;
      throw error;
    }
  }

  /** The ends of those files that exist of what these attempts of a capture may have stored: `1.png`. */
  async endsOf(id: string, attempts = 1, ends: readonly string[] = ['.png']): Promise<string[]> {
    const found: string[] = [];
    for (let i = 1; i <= attempts; i++)
      for (const [at, key] of keysOf(id, i, ends).entries())
        if (await this.hasFile(key)) found.push(`${i}${ends[at] ?? ''}`);
    return found;
  }
}

function keysOf(id: string, attempt: number, ends: readonly string[]): string[] {
  return ends.map((end) => `captures/${id}/${attempt}${end}`);
}
