/** Captures that are kept for later requests (docs/cache.md). */
export const CACHE = `
  -- The capture that answers for a key, and the job that is making the next one.
  CREATE TABLE cache_entries (
    account_id uuid NOT NULL REFERENCES accounts (id),
    key bytea NOT NULL,
    capture_id uuid,
    captured_at timestamptz(3),
    kept_until timestamptz(3) NOT NULL,
    leader_id uuid,
    revalidated_at timestamptz(3),
    PRIMARY KEY (account_id, key),
    CHECK ((capture_id IS NULL) = (captured_at IS NULL))
  );
  CREATE INDEX cache_entries_expiring ON cache_entries (kept_until);
  CREATE INDEX cache_entries_of_capture ON cache_entries (capture_id);

  -- The files of a capture that other records may show as well: a row of jobs with an origin_id shows such files, and does not delete
  -- them. closed_at: a caller deleted the capture, so that no further record shows its files, although others still do.
  CREATE TABLE shared_files (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    keys text[] NOT NULL,
    check_at timestamptz(3) NOT NULL,
    doomed_at timestamptz(3),
    closed_at timestamptz(3)
  );
  CREATE INDEX shared_files_due ON shared_files (check_at);
`;
