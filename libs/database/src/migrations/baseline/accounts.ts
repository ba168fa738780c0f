/** Accounts, their API keys, and the secrets by which keys sign links. */
export const ACCOUNTS = `
  -- served_at: when the account last had a job dispatched. Among equals the one that has waited longest is next.
  CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    allowance integer NOT NULL CHECK (allowance >= 0),
    allowance_period text NOT NULL CHECK (allowance_period IN ('month', 'ever')),
    concurrency integer NOT NULL CHECK (concurrency > 0),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    served_at timestamptz(3),
    rate integer NOT NULL DEFAULT 600 CHECK (rate > 0),
    burst integer NOT NULL DEFAULT 100 CHECK (burst > 0),
    webhook_url text
  );

  -- links_expire: whether the links that the key signs must expire. mcp_unsafe: whether the tools of POST /mcp accept options
  -- that run code or carry secrets.
  CREATE TABLE api_keys (
    id text PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    name text NOT NULL,
    secret_sha256 bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    revoked_at timestamptz(3),
    links_expire boolean NOT NULL DEFAULT true,
    mcp_unsafe boolean NOT NULL DEFAULT false
  );
  CREATE INDEX api_keys_account ON api_keys (account_id);

  -- Encrypted. Links are signed with secret; previous still verifies links while it is rotated out.
  CREATE TABLE signing_secrets (
    key_id text PRIMARY KEY REFERENCES api_keys (id),
    secret bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    previous bytea,
    previous_created_at timestamptz(3),
    CHECK ((previous IS NULL) = (previous_created_at IS NULL))
  );
`;
