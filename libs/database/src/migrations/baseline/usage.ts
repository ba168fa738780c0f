/** What accounts have used of their allowance, of their concurrency and of their request rate. */
export const USAGE = `
  -- The use of an account in one period. The lock of its row also serialises the account's acceptances.
  -- folded: charges whose entries are deleted. announced: the highest threshold, in percent, of which the account was notified
  -- when its allowance was announced_total.
  CREATE TABLE usage_counters (
    account_id uuid NOT NULL REFERENCES accounts (id),
    period text NOT NULL,
    used integer NOT NULL CHECK (used >= 0),
    folded integer NOT NULL DEFAULT 0 CHECK (folded >= 0),
    announced smallint NOT NULL DEFAULT 0,
    announced_total integer NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, period)
  );

  -- The ledger: one entry per charged capture. No foreign key to the job, whose record expires earlier.
  CREATE TABLE usage_ledger (
    job_id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    period text NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX usage_ledger_period ON usage_ledger (account_id, period, at);

  -- held_until is renewed while a worker has the job; free_by is the latest time at which the slot becomes free.
  CREATE TABLE concurrency_slots (
    job_id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    held_until timestamptz(3) NOT NULL,
    held_since timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    free_by timestamptz(3) NOT NULL
  );
  CREATE INDEX concurrency_slots_account ON concurrency_slots (account_id, held_until);

  -- The table is unlogged, so that commits do not wait for the disk. A crash empties it, and a bucket without a row is full. With at
  -- most one row per account it needs no cleanup. Half of each page is left free, so that an update stays in its page and changes
  -- no index.
  CREATE UNLOGGED TABLE rate_buckets (
    account_id uuid PRIMARY KEY,
    rate integer NOT NULL,
    level bigint NOT NULL,
    asked integer NOT NULL,
    at_ms bigint NOT NULL
  ) WITH (fillfactor = 50);
`;
