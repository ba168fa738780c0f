import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Limits the texts of pages and browsers to `MAX_TEXT` of libs/kernel, to which the service cuts them before it writes them.
 * One row of 60 MB makes every list that contains it fail.
 */
export class BoundTexts1795000000040 implements MigrationInterface {
  name = 'BoundTexts1795000000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE jobs SET final_url = left(final_url, 8191) || '…' WHERE char_length(final_url) > 8192`);
    await runner.query(`UPDATE jobs SET title = left(title, 1023) || '…' WHERE char_length(title) > 1024`);
    for (const name of ['detail', 'net_error']) {
      await runner.query(`
        UPDATE jobs SET error = jsonb_set(error, '{${name}}', to_jsonb(left(error ->> '${name}', 299) || '…'))
         WHERE char_length(error ->> '${name}') > 300`);
    }
    // The faults of a row of a batch, up to 20. Without them its detail still names the first.
    await runner.query(`UPDATE jobs SET error = error - 'errors' WHERE octet_length(error::text) > 65536`);
    await runner.query(`
      ALTER TABLE jobs
        ADD CONSTRAINT jobs_final_url_check CHECK (char_length(final_url) <= 8192),
        ADD CONSTRAINT jobs_title_check CHECK (char_length(title) <= 1024),
        ADD CONSTRAINT jobs_error_check CHECK (
          char_length(error ->> 'detail') <= 300
          AND char_length(error ->> 'net_error') <= 300
          AND octet_length(error::text) <= 65536)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs
        DROP CONSTRAINT jobs_final_url_check,
        DROP CONSTRAINT jobs_title_check,
        DROP CONSTRAINT jobs_error_check`);
  }
}
