/** The keys that each session of the console may use, and the links that log in once. */
export const CONSOLE = `
  -- Only hashes of the tokens are stored: a copy of the database logs nobody in.
  CREATE TABLE console_session_keys (
    token_sha256 bytea NOT NULL,
    key_id text NOT NULL REFERENCES api_keys (id),
    added_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (token_sha256, key_id)
  );
  CREATE INDEX console_session_keys_expires_at ON console_session_keys (expires_at);
  CREATE TABLE console_log_ins (
    token_sha256 bytea PRIMARY KEY,
    key_id text NOT NULL REFERENCES api_keys (id),
    expires_at timestamptz(3) NOT NULL
  );
`;
