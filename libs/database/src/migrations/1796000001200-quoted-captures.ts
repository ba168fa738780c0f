import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = `
  ALTER TABLE webhook_deliveries ADD COLUMN quotes uuid[], ADD COLUMN unquoted_body text,
    ADD CHECK ((quotes IS NULL) = (unquoted_body IS NULL));
  CREATE INDEX webhook_deliveries_quotes ON webhook_deliveries USING gin (quotes) WHERE quotes IS NOT NULL`;

const eraseQuotes = (deliveries: string): string => `
  CREATE OR REPLACE FUNCTION erase_quotes_of_capture() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      WITH quoting AS (
        UPDATE monitor_checks SET change = (
          SELECT json_object_agg(key, CASE key WHEN 'lines' THEN '[]'::json WHEN 'summary' THEN 'null'::json ELSE value END)
            FROM json_each(change))
         WHERE change IS NOT NULL AND (capture_ids @> ARRAY[NEW.id] OR change ->> 'compared_with' = NEW.id::text)
        RETURNING monitor_id)
      ${deliveries}
      RETURN NULL;
    END $$`;

/** What a process of the version before writes has no list of quotes: its messages are deleted. */
const BY_QUOTES = `
      DELETE FROM webhook_deliveries WHERE quotes IS NULL AND type = 'monitor.changed'
         AND subject_id IN (SELECT monitor_id FROM quoting);
      DELETE FROM webhook_deliveries WHERE quotes @> ARRAY[NEW.id] AND finished_at IS NOT NULL;
      UPDATE webhook_deliveries SET body = unquoted_body, quotes = NULL, unquoted_body = NULL
       WHERE quotes @> ARRAY[NEW.id];`;

const BY_MONITOR = `
      DELETE FROM webhook_deliveries WHERE finished_at IS NOT NULL AND type = 'monitor.changed'
         AND subject_id IN (SELECT monitor_id FROM quoting);`;

/**
 * A message knows which captures it quotes, and what it says without their words. When a caller deletes one of them, messages that were
 * delivered go, and those that were not are sent without the words.
 */
export class QuotedCaptures1796000001200 implements MigrationInterface {
  name = 'QuotedCaptures1796000001200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMNS);
    await runner.query(eraseQuotes(BY_QUOTES));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(eraseQuotes(BY_MONITOR));
    await runner.query(`
      DROP INDEX webhook_deliveries_quotes;
      ALTER TABLE webhook_deliveries DROP COLUMN quotes, DROP COLUMN unquoted_body`);
  }
}
