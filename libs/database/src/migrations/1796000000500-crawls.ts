import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many rows of each batch have entered or left each state. */
const MOVED_ROWS = `
          SELECT batch_id AS id,
                 sum((status = 'queued')::int * sign) AS queued,
                 sum((status = 'running')::int * sign) AS running,
                 sum((status = 'succeeded')::int * sign) AS succeeded,
                 sum((status = 'failed')::int * sign) AS failed,
                 sum((status = 'canceled')::int * sign) AS canceled
            FROM (SELECT batch_id, status, 1 AS sign FROM after WHERE batch_id IS NOT NULL
                   UNION ALL SELECT batch_id, status, -1 FROM before WHERE batch_id IS NOT NULL) AS rows
           GROUP BY batch_id`;

/**
 * The trigger of the table `jobs` that counts the rows of batches.
 *
 * @param isFed the condition that no further row will be added to the batch
 */
const countBatchRows = (isFed: string): string => `
  CREATE OR REPLACE FUNCTION count_batch_rows() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      moved record;
      ended boolean;
    BEGIN
      FOR moved IN
        SELECT * FROM (${MOVED_ROWS}) AS sums
         WHERE (queued, running, succeeded, failed, canceled) <> (0, 0, 0, 0, 0) ORDER BY id
      LOOP
        UPDATE batches AS batch
           SET queued = batch.queued + moved.queued,
               running = batch.running + moved.running,
               succeeded = batch.succeeded + moved.succeeded,
               failed = batch.failed + moved.failed,
               canceled = batch.canceled + moved.canceled,
               started_at = coalesce(batch.started_at, CASE WHEN moved.running > 0 THEN clock_timestamp() END),
               finished_at = coalesce(batch.finished_at, CASE
                 WHEN ${isFed} AND batch.queued + batch.running + moved.queued + moved.running = 0 THEN clock_timestamp() END),
               status = CASE
                 WHEN batch.status IN ('completed', 'canceled') THEN batch.status
                 WHEN ${isFed} AND batch.queued + batch.running + moved.queued + moved.running = 0 THEN 'completed'
                 WHEN moved.running > 0 THEN 'running'
                 ELSE batch.status END
         WHERE batch.id = moved.id
        RETURNING batch.finished_at IS NOT NULL INTO ended;
        IF ended THEN
          PERFORM pg_notify('capture_batch_finished', moved.id::text);
        END IF;
      END LOOP;
      RETURN NULL;
    END $$;
`;

const UP = `
  -- is_open: rows are still added to the batch, which therefore does not end with its last row.
  ALTER TABLE batches ADD COLUMN is_open boolean NOT NULL DEFAULT false;

  -- defaults: sealed, bound to id, and deleted at the end. lease: what the process holds that works on the crawl.
  CREATE TABLE crawls (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    batch_id uuid,
    url text NOT NULL,
    rules json NOT NULL,
    defaults bytea,
    state text NOT NULL DEFAULT 'discovering'
      CHECK (state IN ('discovering', 'capturing', 'completed', 'canceled', 'failed')),
    stage text NOT NULL DEFAULT 'robots' CHECK (stage IN ('robots', 'sitemaps', 'links')),
    sitemaps text[] NOT NULL DEFAULT '{}',
    discovered integer NOT NULL DEFAULT 0,
    skipped json NOT NULL,
    delay_s integer NOT NULL DEFAULT 0,
    error json,
    lease uuid,
    leased_until timestamptz(3),
    next_run_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    created_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
    finished_at timestamptz(3),
    CHECK ((state IN ('completed', 'canceled', 'failed')) = (finished_at IS NOT NULL))
  );
  CREATE INDEX crawls_history ON crawls (account_id, created_at DESC, id DESC);
  CREATE INDEX crawls_open ON crawls (next_run_at) WHERE finished_at IS NULL;
  CREATE INDEX crawls_ended ON crawls (finished_at) WHERE finished_at IS NOT NULL;
  CREATE UNIQUE INDEX crawls_of_batch ON crawls (batch_id) WHERE batch_id IS NOT NULL;

  -- key: the hash of the address, which makes it unique. links: the numbers of the pages that the page links to.
  CREATE TABLE crawl_pages (
    crawl_id uuid NOT NULL REFERENCES crawls (id) ON DELETE CASCADE,
    key bytea NOT NULL,
    number integer NOT NULL,
    url text NOT NULL,
    pattern text NOT NULL,
    depth integer NOT NULL,
    found_by text NOT NULL CHECK (found_by IN ('start', 'sitemap', 'link', 'redirect')),
    found_on integer,
    state text NOT NULL CHECK (state IN ('found', 'taken', 'read', 'alias')),
    job_id uuid,
    outcome text CHECK (outcome IN ('ok', 'broken', 'canceled')),
    http_status integer,
    error_code text,
    title text,
    is_listed boolean,
    links integer[],
    PRIMARY KEY (crawl_id, key)
  );
  CREATE UNIQUE INDEX crawl_pages_by_number ON crawl_pages (crawl_id, number);
  CREATE INDEX crawl_pages_open ON crawl_pages (crawl_id, state, number) WHERE state IN ('found', 'taken');
  CREATE INDEX crawl_pages_by_pattern ON crawl_pages (crawl_id, pattern) WHERE found_by = 'link';

  -- What robots.txt of an origin says.
  CREATE TABLE crawl_robots (
    crawl_id uuid NOT NULL REFERENCES crawls (id) ON DELETE CASCADE,
    origin text NOT NULL,
    content text NOT NULL,
    PRIMARY KEY (crawl_id, origin)
  );
`;

/** Adds crawls, their pages, and batches to which rows are added while they run. */
export class Crawls1796000000500 implements MigrationInterface {
  name = 'Crawls1796000000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
    await runner.query(countBatchRows('NOT batch.is_open'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(countBatchRows('true'));
    await runner.query(`DROP TABLE crawl_robots, crawl_pages, crawls`);
    await runner.query(`ALTER TABLE batches DROP COLUMN is_open`);
  }
}
