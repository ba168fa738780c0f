import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds what a worker knows and what a job needs. A worker that does not know an option ignores it, so that no worker may take a
 * job that needs more than it knows. The rule is in the database, because workers of earlier versions do not know it: an UPDATE
 * that takes such a job must say by `claimant_knows` that its worker knows enough. The column itself always stays null.
 */
export class AnnounceFeatures1795000000150 implements MigrationInterface {
  name = 'AnnounceFeatures1795000000150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workers ADD COLUMN features text[]`);
    await runner.query(`ALTER TABLE jobs ADD COLUMN needs text[], ADD COLUMN claimant_knows boolean`);
    await runner.query(`
      CREATE FUNCTION check_claimant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.claimant_knows IS NOT TRUE THEN RETURN NULL; END IF;
        NEW.claimant_knows := NULL;
        RETURN NEW; END $$`);
    await runner.query(`
      CREATE TRIGGER jobs_claimed BEFORE UPDATE OF status ON jobs FOR EACH ROW
        WHEN (OLD.status = 'queued' AND NEW.status = 'running' AND NEW.needs IS NOT NULL)
        EXECUTE FUNCTION check_claimant()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER jobs_claimed ON jobs`);
    await runner.query(`DROP FUNCTION check_claimant`);
    await runner.query(`ALTER TABLE jobs DROP COLUMN claimant_knows, DROP COLUMN needs`);
    await runner.query(`ALTER TABLE workers DROP COLUMN features`);
  }
}
