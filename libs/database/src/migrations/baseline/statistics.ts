/** Sums of finished jobs by hour and by day; libs/jobs/src/history updates and reads them. */
export const STATISTICS = `
  -- The number of captures of the hour with this value of this measure.
  CREATE TABLE job_hours (
    account_id uuid NOT NULL REFERENCES accounts (id),
    hour timestamptz(0) NOT NULL,
    measure text NOT NULL
      CHECK (measure IN ('status', 'source', 'format', 'error_code', 'charged', 'queue_ms', 'total_ms')),
    value text NOT NULL,
    captures integer NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (account_id, hour, measure, value)
  );
  -- Hours whose rows have changed since their statistics were computed.
  CREATE TABLE job_hours_stale (
    account_id uuid NOT NULL REFERENCES accounts (id),
    hour timestamptz(0) NOT NULL,
    PRIMARY KEY (account_id, hour)
  );
  -- One row: the statistics of every hour before it are computed.
  CREATE TABLE job_hours_summed (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    until timestamptz(0) NOT NULL
  );
  INSERT INTO job_hours_summed (until) VALUES (date_trunc('hour', now(), 'UTC'));

  -- An hour is marked in the transaction that changes one of its rows, so the statistics are never wrong without a mark. An existing
  -- mark is only locked: the computation skips it, and a mass change writes it once.
  CREATE FUNCTION mark_job_hour_stale() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      job jobs;
      job_hour timestamptz;
    BEGIN
      IF TG_OP = 'DELETE' THEN job := OLD; ELSE job := NEW; END IF;
      job_hour := date_trunc('hour', job.created_at, 'UTC');
      PERFORM FROM job_hours_stale WHERE account_id = job.account_id AND hour = job_hour FOR KEY SHARE;
      IF NOT FOUND THEN
        INSERT INTO job_hours_stale (account_id, hour) VALUES (job.account_id, job_hour)
        ON CONFLICT (account_id, hour) DO UPDATE SET hour = EXCLUDED.hour;
      END IF;
      RETURN NULL;
    END $$;
  -- WHEN excludes the usual case, a row that is created and finished within one hour: an hour is computed only when no transaction
  -- that began in it is still open.
  CREATE TRIGGER jobs_added_late AFTER INSERT ON jobs FOR EACH ROW
    WHEN (NEW.status NOT IN ('queued', 'running') AND NEW.created_at < date_trunc('hour', now(), 'UTC'))
    EXECUTE FUNCTION mark_job_hour_stale();
  CREATE TRIGGER jobs_finished_late AFTER UPDATE OF status ON jobs FOR EACH ROW
    WHEN (OLD.status IN ('queued', 'running') AND NEW.status NOT IN ('queued', 'running')
          AND NEW.created_at < date_trunc('hour', now(), 'UTC'))
    EXECUTE FUNCTION mark_job_hour_stale();
  -- Expiry deletes only rows whose hour has been computed, and the statistics keep counting them. After any other deletion the hour
  -- is computed again from the remaining rows.
  CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs FOR EACH ROW
    WHEN (OLD.status NOT IN ('queued', 'running') AND OLD.created_at < date_trunc('hour', now(), 'UTC')
          AND current_setting('capture.expiring', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION mark_job_hour_stale();

  -- The sums of the hours of a day: two years are 17,500 hours with some hundred values each. A value without remaining captures has
  -- captures = 0. Triggers update them, so they follow the hours whatever computes those; hours are never updated.
  CREATE TABLE job_days (
    account_id uuid NOT NULL REFERENCES accounts (id),
    day timestamptz(0) NOT NULL,
    measure text NOT NULL,
    value text NOT NULL,
    captures integer NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (account_id, day, measure, value)
  );
  CREATE FUNCTION add_hours_to_days() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      sign integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
    BEGIN
      INSERT INTO job_days (account_id, day, measure, value, captures, bytes)
      SELECT account_id, date_trunc('day', hour, 'UTC'), measure, value, sign * sum(captures), sign * sum(bytes)
        FROM changed GROUP BY 1, 2, 3, 4
          ON CONFLICT (account_id, day, measure, value)
          DO UPDATE SET captures = job_days.captures + EXCLUDED.captures, bytes = job_days.bytes + EXCLUDED.bytes;
      RETURN NULL;
    END $$;
  CREATE TRIGGER job_hours_added AFTER INSERT ON job_hours REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION add_hours_to_days();
  CREATE TRIGGER job_hours_deleted AFTER DELETE ON job_hours REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION add_hours_to_days();
`;
