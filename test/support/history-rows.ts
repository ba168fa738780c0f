import type { TestDatabase } from './database.js';

/**
 * Adds finished captures of `seeded.example` to the only account, each a second older than the one before: the path of a URL is
 * its place in the history, from 1. They have no files.
 */
export async function seedHistory(database: TestDatabase, captures: number): Promise<void> {
  await database.query(
    `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, queue_ms, total_ms,
                       error_code, created_at, finished_at, url, host)
     SELECT gen_random_uuid(), accounts.id, 'job', 'failed', 'png', '{}', 60000, 'ever', 1, 100,
            'capture_timeout', at, at, 'https://seeded.example/' || n, 'seeded.example'
       FROM accounts, generate_series(1, $1::int) AS n, LATERAL (SELECT now() - n * interval '1 second' AS at) AS made`,
    [captures],
  );
}
