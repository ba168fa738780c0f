import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The outbox of webhooks, which libs/webhooks sends. */
export class CreateWebhooks1795000000012 implements MigrationInterface {
  name = 'CreateWebhooks1795000000012';

  async up(runner: QueryRunner): Promise<void> {
    // `subject_id`: the job or batch of the event. `host`: the host of the URL, by which the deliveries of an account are
    // ordered. `body` is signed and sent unchanged at every attempt. `claims` fences off a sender whose lease has expired.
    await runner.query(`
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
        finished_at timestamptz(3)
      )`);
    await runner.query(
      `CREATE INDEX webhook_deliveries_subject ON webhook_deliveries (subject_id, created_at)`,
    );
    await runner.query(
      `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE state = 'pending'`,
    );
    // The same by lane, so that the head of a lane is found without reading a long one before it.
    await runner.query(`
      CREATE INDEX webhook_deliveries_lanes ON webhook_deliveries (account_id, host, next_attempt_at)
        WHERE state = 'pending'`);
    await runner.query(`
      CREATE INDEX webhook_deliveries_leased ON webhook_deliveries (lease_until) INCLUDE (account_id, host)
        WHERE lease_until IS NOT NULL`);
    await runner.query(`
      CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at)
        WHERE finished_at IS NOT NULL`);
    // Endpoints that responded with 410 Gone. A long URL does not fit into an index; its hash does.
    await runner.query(`
      CREATE TABLE webhook_stops (
        account_id uuid NOT NULL REFERENCES accounts (id),
        url text NOT NULL,
        stopped_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX webhook_stops_endpoint ON webhook_stops (account_id, hashtextextended(url, 0))`);
    // Sealed. The previous secret signs as well until `previous_until`, so that a rotation breaks no receiver.
    await runner.query(`
      CREATE TABLE webhook_secrets (
        account_id uuid PRIMARY KEY REFERENCES accounts (id),
        secret bytea NOT NULL,
        previous bytea,
        previous_until timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE webhook_secrets`);
    await runner.query(`DROP TABLE webhook_stops`);
    await runner.query(`DROP TABLE webhook_deliveries`);
  }
}
