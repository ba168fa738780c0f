import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a table of all files of captures (docs/adr/0030). Processes of the version before read and write the columns of `jobs` that it
 * replaces, so that these stay, and `jobs_stored_files` adds the rows of a capture that such a process ends.
 */
export class CaptureFiles1796000000200 implements MigrationInterface {
  name = 'CaptureFiles1796000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(DELETION);
    await runner.query(EARLIER_VERSION);
    // After the triggers: their lock on jobs keeps every capture from ending in between.
    await runner.query(`
      INSERT INTO capture_files SELECT file.* FROM jobs, files_of_job(jobs) AS file
       WHERE jobs.content_type IS NOT NULL AND deleted_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER jobs_stored_files ON jobs;
      DROP TRIGGER jobs_erased ON jobs;
      DROP TRIGGER jobs_forgotten ON jobs;
      DROP FUNCTION add_capture_files, delete_capture_files, files_of_job;
      DROP TABLE capture_files`);
  }
}

/**
 * libs/jobs/src/job/capture-files.ts says what the rows mean. There is no foreign key: it would lock the row of the job once more
 * for each file. A file has no key if it had expired before this table was made.
 */
const TABLE = `
  CREATE TABLE capture_files (
    capture_id uuid NOT NULL,
    position smallint NOT NULL,
    name text NOT NULL,
    format text NOT NULL,
    key text,
    content_type text NOT NULL,
    bytes integer NOT NULL,
    sha256 text NOT NULL,
    width integer,
    height integer,
    pages integer,
    page_height integer,
    truncated boolean NOT NULL,
    content text,
    PRIMARY KEY (capture_id, position)
  )`;

/** Rows are deleted with the job, and when a caller deletes the capture, by a process of any version: a caller wrote their names. */
const DELETION = `
  CREATE FUNCTION delete_capture_files() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM capture_files WHERE capture_id = OLD.id;
      RETURN NULL;
    END $$;
  CREATE TRIGGER jobs_erased AFTER UPDATE OF deleted_at ON jobs FOR EACH ROW
    WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION delete_capture_files();
  CREATE TRIGGER jobs_forgotten AFTER DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION delete_capture_files()`;

const EARLIER_VERSION = `
  -- The files of a job by its own columns.
  CREATE FUNCTION files_of_job(job jobs) RETURNS SETOF capture_files LANGUAGE sql STABLE AS $$
    SELECT job.id, 1::smallint, coalesce(job.options->'outputs'->0->>'name', 'result'), job.format, job.result_key,
           job.content_type, job.bytes, job.sha256, job.width, job.height, job.pages, job.page_height,
           coalesce(job.truncated, false), job.content
     WHERE job.status = 'succeeded'
    UNION ALL
    SELECT job.id, (position + 1)::smallint, file->>'name', file->>'format', file->>'key', file->>'contentType', (file->>'bytes')::integer,
           file->>'sha256', (file->>'width')::integer, (file->>'height')::integer, (file->>'pages')::integer,
           (file->>'pageHeight')::integer, coalesce((file->>'truncated')::boolean, false), file->>'content'
      FROM json_array_elements(job.other_files) WITH ORDINALITY AS other (file, position)
     WHERE job.status = 'succeeded'
    UNION ALL
    SELECT job.id, 1::smallint, 'failure', 'png', job.result_key, job.content_type, job.bytes, job.sha256, NULL, NULL, NULL, NULL,
           false, NULL
     WHERE job.status = 'failed'
  $$;
  CREATE FUNCTION add_capture_files() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM capture_files WHERE capture_id = NEW.id) THEN
        INSERT INTO capture_files SELECT * FROM files_of_job(NEW);
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER jobs_stored_files AFTER UPDATE OF content_type ON jobs FOR EACH ROW
    WHEN (OLD.content_type IS NULL AND NEW.content_type IS NOT NULL) EXECUTE FUNCTION add_capture_files()`;
