import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ACCOUNTS } from './baseline/accounts.js';
import { BATCHES } from './baseline/batches.js';
import { CACHE } from './baseline/cache.js';
import { CONSOLE } from './baseline/console.js';
import { JOBS } from './baseline/jobs.js';
import { STATISTICS } from './baseline/statistics.js';
import { USAGE } from './baseline/usage.js';
import { WEBHOOKS } from './baseline/webhooks.js';
import { WORKERS } from './baseline/workers.js';

/** Each area refers only to tables of those before it. */
const AREAS = [ACCOUNTS, USAGE, JOBS, BATCHES, STATISTICS, CACHE, WEBHOOKS, WORKERS, CONSOLE];

/** The schema of version 0.2.0, the first that was released. It never changes: what comes later are migrations of their own. */
export class Baseline1796000000000 implements MigrationInterface {
  name = 'Baseline1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const area of AREAS) await runner.query(area);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE accounts, api_keys, signing_secrets, usage_counters, usage_ledger, concurrency_slots, rate_buckets, jobs,
        job_orphaned_files_swept, idempotency_keys, batches, job_hours, job_hours_stale, job_hours_summed, job_days, cache_entries,
        shared_files, webhook_deliveries, webhook_stops, webhook_secrets, workers, console_session_keys, console_log_ins`);
    await runner.query('DROP FUNCTION count_batch_rows, mark_job_hour_stale, add_hours_to_days');
  }
}
