import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A delivery has a channel. `url` of a message to people is what an account sees of its address, and `address` is the address, sealed
 * and bound to the delivery. The receivers of a monitor are sealed and bound to the monitor; `notify` is what is shown of them.
 */
const UP = `
  ALTER TABLE webhook_deliveries
    ADD COLUMN channel text NOT NULL DEFAULT 'webhook'
      CHECK (channel IN ('webhook', 'slack', 'discord', 'teams', 'email')),
    ADD COLUMN address bytea,
    ADD CHECK ((channel = 'webhook') = (address IS NULL));
  ALTER TABLE monitors
    ADD COLUMN notify json NOT NULL DEFAULT '[]',
    ADD COLUMN receivers bytea;
`;

/**
 * Checks quote the text of both captures that they compare. When a caller deletes one of them, by a process of any version, the words
 * go: those of the check, and the events about it that were delivered.
 */
const DELETION = `
  CREATE INDEX monitor_checks_captures ON monitor_checks USING gin (capture_ids);
  CREATE INDEX monitor_checks_compared ON monitor_checks ((change ->> 'compared_with')) WHERE change IS NOT NULL;
  CREATE FUNCTION erase_quotes_of_capture() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      WITH quoting AS (
        UPDATE monitor_checks SET change = (
          SELECT json_object_agg(key, CASE key WHEN 'lines' THEN '[]'::json WHEN 'summary' THEN 'null'::json ELSE value END)
            FROM json_each(change))
         WHERE change IS NOT NULL AND (capture_ids @> ARRAY[NEW.id] OR change ->> 'compared_with' = NEW.id::text)
        RETURNING monitor_id)
      DELETE FROM webhook_deliveries WHERE finished_at IS NOT NULL AND type = 'monitor.changed'
         AND subject_id IN (SELECT monitor_id FROM quoting);
      RETURN NULL;
    END $$;
  CREATE TRIGGER jobs_quoted AFTER UPDATE OF deleted_at ON jobs FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION erase_quotes_of_capture()`;

/** Adds messages to Slack, Discord and Teams, and mails, of monitors; and erases what checks quote of deleted captures. */
export class Channels1796000000700 implements MigrationInterface {
  name = 'Channels1796000000700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
    await runner.query(DELETION);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER jobs_quoted ON jobs;
      DROP FUNCTION erase_quotes_of_capture;
      DROP INDEX monitor_checks_captures, monitor_checks_compared;
      DELETE FROM webhook_deliveries WHERE channel <> 'webhook';
      ALTER TABLE webhook_deliveries DROP COLUMN channel, DROP COLUMN address;
      ALTER TABLE monitors DROP COLUMN notify, DROP COLUMN receivers`);
  }
}
