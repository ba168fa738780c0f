import { MIGRATIONS } from './migrations/index.js';

/** The times of the oldest and of the newest migration that a database has run, as PostgreSQL returns `bigint`; null for none. */
export interface SchemaTimes {
  readonly oldest: string | null;
  readonly newest: string | null;
}

/** What is wrong with a schema: it lacks migrations of this version, or a commit before version 0.2.0 made it. */
export type SchemaFault = 'old_schema' | 'unsupported_schema';

/** The columns of a SELECT from `migrations` that are `SchemaTimes`. */
export const SCHEMA_TIMES = 'min(timestamp) AS oldest, max(timestamp) AS newest';

const KNOWN = MIGRATIONS.map(({ name }) => Number(/\d+$/.exec(name)?.[0]));
const OLDEST = Math.min(...KNOWN);
const NEWEST = Math.max(...KNOWN);

/** Whether a commit before the first migration of this version made the schema: it cannot be upgraded. */
export function isUnsupported({ oldest }: Pick<SchemaTimes, 'oldest'>): boolean {
  return oldest !== null && Number(oldest) < OLDEST;
}

/** Null for a schema that this version can work on: its own, or a newer one, on which the processes of the version before run. */
export function schemaFault(times: SchemaTimes): SchemaFault | null {
  if (isUnsupported(times)) return 'unsupported_schema';
  return Number(times.newest) < NEWEST ? 'old_schema' : null;
}
