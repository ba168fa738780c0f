/** The outbox of webhooks, which libs/webhooks processes, and the secrets that sign them. */
export const WEBHOOKS = `
  -- subject_id: the job or batch of the event. host: the host of the URL; deliveries of an account to one host share a lane. body is
  -- signed and sent unchanged in each attempt. claims fences off a sender whose lease has expired.
  CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    subject_id uuid NOT NULL,
    type text NOT NULL,
    url text NOT NULL,
    host text NOT NULL,
    body text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'stopped')),
    attempts smallint NOT NULL DEFAULT 0,
    next_attempt_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', now()),
    lease_until timestamptz(3),
    claims integer NOT NULL DEFAULT 0,
    log jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    finished_at timestamptz(3),
    trace_context text
  );
  CREATE INDEX webhook_deliveries_subject ON webhook_deliveries (subject_id, created_at);
  -- The lists of an account, of any type and state.
  CREATE INDEX webhook_deliveries_by_kind ON webhook_deliveries (account_id, type, state, created_at, id);
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE state = 'pending';
  -- The same by lane, so that finding the head of the next lane does not read a long one.
  CREATE INDEX webhook_deliveries_lanes ON webhook_deliveries (account_id, host, next_attempt_at) WHERE state = 'pending';
  CREATE INDEX webhook_deliveries_leased ON webhook_deliveries (lease_until) INCLUDE (account_id, host)
    WHERE lease_until IS NOT NULL;
  CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

  -- Endpoints that answered 410 Gone, by hash, because a long URL does not fit into an index.
  CREATE TABLE webhook_stops (
    account_id uuid NOT NULL REFERENCES accounts (id),
    url text NOT NULL,
    stopped_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX webhook_stops_endpoint ON webhook_stops (account_id, hashtextextended(url, 0));

  -- Encrypted. Webhooks are also signed with the previous secret until previous_until, so that none is lost by a rotation.
  CREATE TABLE webhook_secrets (
    account_id uuid PRIMARY KEY REFERENCES accounts (id),
    secret bytea NOT NULL,
    previous bytea,
    previous_until timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
`;
