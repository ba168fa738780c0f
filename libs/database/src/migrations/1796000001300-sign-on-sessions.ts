import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a log-out of single sign-on needs: which session of the provider a log-in belongs to, and its ID token, encrypted. */
export class SignOnSessions1796000001300 implements MigrationInterface {
  name = 'SignOnSessions1796000001300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE console_session_keys ADD COLUMN provider_session text, ADD COLUMN id_token bytea`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE console_session_keys DROP COLUMN provider_session, DROP COLUMN id_token`);
  }
}
