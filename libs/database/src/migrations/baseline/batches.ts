/**
 * Batches, whose rows are jobs. A trigger on `jobs` updates the counts of a batch in the transaction that changes the job, so that
 * no change can be missed and no reader sees the two differ.
 */
export const BATCHES = `
  CREATE TABLE batches (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'canceled')),
    retry_of uuid,
    total integer NOT NULL,
    rejected integer NOT NULL DEFAULT 0,
    queued integer NOT NULL DEFAULT 0,
    running integer NOT NULL DEFAULT 0,
    succeeded integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    canceled integer NOT NULL DEFAULT 0,
    webhook_url text,
    announced_at timestamptz(3),
    request_id text,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    started_at timestamptz(3),
    finished_at timestamptz(3),
    trace_context text
  );
  CREATE INDEX batches_history ON batches (account_id, created_at DESC, id DESC);
  CREATE INDEX batches_by_status ON batches (account_id, status, created_at DESC, id DESC);
  -- Upkeep reads unfinished batches, ends that are not announced, and old records.
  CREATE INDEX batches_unfinished ON batches (id) WHERE status IN ('queued', 'running');
  CREATE INDEX batches_unannounced ON batches (finished_at)
    WHERE finished_at IS NOT NULL AND webhook_url IS NOT NULL AND announced_at IS NULL;
  CREATE INDEX batches_ended ON batches (finished_at, id) WHERE finished_at IS NOT NULL;

  -- Runs once per statement, however many rows it changes, and updates the batches in order of their ids, so that two such
  -- statements never deadlock. A batch is locked after its jobs: no transaction may lock a job while it holds a batch.
  --
  -- The rows before and after are summed, not joined: a session plans this once, usually for a statement that changes one row, and
  -- with that plan a join of 10,000 took most of a minute.
  CREATE FUNCTION count_batch_rows() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      moved record;
      ended boolean;
    BEGIN
      FOR moved IN
        SELECT * FROM (
          SELECT batch_id AS id,
                 sum((status = 'queued')::int * sign) AS queued,
                 sum((status = 'running')::int * sign) AS running,
                 sum((status = 'succeeded')::int * sign) AS succeeded,
                 sum((status = 'failed')::int * sign) AS failed,
                 sum((status = 'canceled')::int * sign) AS canceled
            FROM (SELECT batch_id, status, 1 AS sign FROM after WHERE batch_id IS NOT NULL
                   UNION ALL SELECT batch_id, status, -1 FROM before WHERE batch_id IS NOT NULL) AS rows
           GROUP BY batch_id) AS sums
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
                 WHEN batch.queued + batch.running + moved.queued + moved.running = 0 THEN clock_timestamp() END),
               status = CASE
                 WHEN batch.status IN ('completed', 'canceled') THEN batch.status
                 WHEN batch.queued + batch.running + moved.queued + moved.running = 0 THEN 'completed'
                 WHEN moved.running > 0 THEN 'running'
                 ELSE batch.status END
         WHERE batch.id = moved.id
        RETURNING batch.queued + batch.running = 0 INTO ended;
        IF ended THEN
          PERFORM pg_notify('capture_batch_finished', moved.id::text);
        END IF;
      END LOOP;
      RETURN NULL;
    END $$;
  CREATE TRIGGER jobs_moved AFTER UPDATE ON jobs
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION count_batch_rows();
`;
