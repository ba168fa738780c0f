import { FILE_FACT_NAMES, snakeCase, type Format, type ShownFileFacts } from '@app/capture';

/**
 * The table `capture_files`: every file of a capture is a row, in the order of its outputs. Rows are inserted by the statement that
 * ends the job, deleted with the job or by the deletion of the capture, and never change: `result_key` of the job says whether its
 * files still exist.
 */
export interface StoredFile extends ShownFileFacts {
  readonly name: string;
  readonly format: Format;
  readonly key: string;
  readonly contentType: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** The properties of a file, whose columns are named alike. */
const PROPERTIES = [...['name', 'format', 'key', 'contentType', 'bytes', 'sha256'], ...FILE_FACT_NAMES];

const COLUMNS = PROPERTIES.map(snakeCase);

/**
 * Extends a statement that ends a job by inserting its files, so that they cost no round trip more.
 *
 * @param update statement that returns the row of the job, or none when another process was first, and its parameters
 */
export function withFiles(
  [update, parameters]: [string, unknown[]],
  files: readonly StoredFile[],
): [string, unknown[]] {
  const given = `json_populate_recordset(NULL::capture_files, $${parameters.length + 1})`;
  const rows = files.map((file, i) => ({
    position: i + 1,
    ...Object.fromEntries(Object.entries(file).map(([property, value]) => [snakeCase(property), value])),
  }));
  const stored = insertFrom(`job CROSS JOIN ${given} AS file`);
  const statement = `WITH job AS (${update}), stored AS (${stored}) SELECT * FROM job`;
  return [statement, [...parameters, JSON.stringify(rows)]];
}

/**
 * SQL that inserts for jobs the files of the captures that answer them. The captures are read one by one, as the planner would not
 * do without statistics.
 *
 * @param answered rows with the `id` of the job and the `capture_id` that answers it
 */
export function copyFiles(answered: string): string {
  return insertFrom(
    `${answered} AS job CROSS JOIN LATERAL (
       SELECT * FROM capture_files WHERE capture_id = job.capture_id OFFSET 0) AS file`,
  );
}

/** @param source rows of `job` and `file` */
function insertFrom(source: string): string {
  return `INSERT INTO capture_files (capture_id, position, ${COLUMNS.join(', ')})
          SELECT job.id, file.position, ${COLUMNS.map((column) => `file.${column}`).join(', ')} FROM ${source}`;
}

/** SQL of the files of the job under this alias, as an array of `StoredFile`; NULL when there are none. */
export function selectFiles(job: string): string {
  const fields = PROPERTIES.map((property) => `'${property}', file.${snakeCase(property)}`).join(', ');
  return `(SELECT json_agg(json_build_object(${fields}) ORDER BY file.position)
             FROM capture_files AS file WHERE file.capture_id = ${job}.id)`;
}
