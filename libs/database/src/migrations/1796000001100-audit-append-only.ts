import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
  CREATE FUNCTION keep_audit_events() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- Expiry says what it does, and AUDIT_TTL_S is a day at least.
      IF TG_OP = 'DELETE' AND current_setting('capture.expiring', true) = 'on' AND OLD.at < now() - interval '1 day' THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'Events of the audit trail are neither changed nor deleted before they expire.'
        USING ERRCODE = 'insufficient_privilege';
    END $$;
  CREATE TRIGGER audit_events_kept BEFORE UPDATE OR DELETE ON audit_events FOR EACH ROW EXECUTE FUNCTION keep_audit_events();
  CREATE TRIGGER audit_events_not_truncated BEFORE TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_events()`;

/** The database itself refuses to change the audit trail, whichever statement a defect of the service would let through. */
export class AuditAppendOnly1796000001100 implements MigrationInterface {
  name = 'AuditAppendOnly1796000001100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
  DROP TRIGGER audit_events_kept ON audit_events;
  DROP TRIGGER audit_events_not_truncated ON audit_events;
  DROP FUNCTION keep_audit_events()`);
  }
}
