import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds where slices of a picture begin. `files_of_job`, which adds the rows of a capture that a process of an earlier version ends,
 * returns rows of the table, and so needs a value for the new column.
 */
export class Slices1796000000450 implements MigrationInterface {
  name = 'Slices1796000000450';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs ADD COLUMN offset_y integer;
      ALTER TABLE capture_files ADD COLUMN offset_y integer;
      ${filesOfJob(', NULL::integer')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE capture_files DROP COLUMN offset_y;
      ALTER TABLE jobs DROP COLUMN offset_y;
      ${filesOfJob('')}`);
  }
}

/** The function as 1796000000200-capture-files.ts made it, with the values of later columns. */
function filesOfJob(later: string): string {
  return `CREATE OR REPLACE FUNCTION files_of_job(job jobs) RETURNS SETOF capture_files LANGUAGE sql STABLE AS $$
    SELECT job.id, 1::smallint, coalesce(job.options->'outputs'->0->>'name', 'result'), job.format, job.result_key,
           job.content_type, job.bytes, job.sha256, job.width, job.height, job.pages, job.page_height,
           coalesce(job.truncated, false), job.content${later}
     WHERE job.status = 'succeeded'
    UNION ALL
    SELECT job.id, (position + 1)::smallint, file->>'name', file->>'format', file->>'key', file->>'contentType', (file->>'bytes')::integer,
           file->>'sha256', (file->>'width')::integer, (file->>'height')::integer, (file->>'pages')::integer,
           (file->>'pageHeight')::integer, coalesce((file->>'truncated')::boolean, false), file->>'content'${later}
      FROM json_array_elements(job.other_files) WITH ORDINALITY AS other (file, position)
     WHERE job.status = 'succeeded'
    UNION ALL
    SELECT job.id, 1::smallint, 'failure', 'png', job.result_key, job.content_type, job.bytes, job.sha256, NULL, NULL, NULL, NULL,
           false, NULL${later}
     WHERE job.status = 'failed'
  $$`;
}
