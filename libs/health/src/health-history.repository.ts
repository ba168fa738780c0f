import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What a dependency was from a moment on. */
export interface HealthChange {
  readonly dependency: string;
  readonly at: Date;
  readonly status: 'ok' | 'down';
  /** What was wrong; null for what works. */
  readonly error: string | null;
}

/** A change is kept for this long, and longer while it is the last one of its dependency. */
export const HEALTH_HISTORY_DAYS = 30;

/** The changes of a dependency that are kept, however often its state changes. */
const MAX_KEPT = 1_000;

/** The changes of a dependency that one list has. */
const MAX_LISTED = 200;

/** The changes of dependencies, by an index of the dependency and the time. */
@Injectable()
export class HealthHistoryRepository {
  constructor(private readonly source: DataSource) {}

  /** The last change of each dependency. */
  listLatest(): Promise<HealthChange[]> {
    return this.source.query(
      `SELECT latest.* FROM (${DEPENDENCIES}) AS known, LATERAL (
         SELECT dependency, at, status, error FROM health_changes WHERE dependency = known.name
          ORDER BY at DESC LIMIT 1) AS latest
        ORDER BY dependency`,
    );
  }

  /** The last changes of each dependency since then, and the one before, which says how it was until the first of them. */
  listSince(since: Date): Promise<HealthChange[]> {
    return this.source.query(
      `SELECT change.* FROM (${DEPENDENCIES}) AS known, LATERAL (
         SELECT dependency, at, status, error FROM health_changes
          WHERE dependency = known.name AND at >= coalesce(
            (SELECT max(at) FROM health_changes WHERE dependency = known.name AND at <= $1), $1)
          ORDER BY at DESC LIMIT ${MAX_LISTED}) AS change
        ORDER BY dependency, at`,
      [since],
    );
  }

  /**
   * Adds a change, unless the dependency was in this state at that time already, as another process may have noted; and removes
   * what is old. Two processes that note the same change at the same moment may both add it.
   */
  async note({ dependency, at, status, error }: HealthChange): Promise<void> {
    await this.source.query(
      `INSERT INTO health_changes (dependency, at, status, error)
       SELECT $1, $2, $3, $4
        WHERE (SELECT status FROM health_changes WHERE dependency = $1 AND at <= $2 ORDER BY at DESC LIMIT 1) IS DISTINCT FROM $3
       ON CONFLICT DO NOTHING`,
      [dependency, at, status, error],
    );
    await this.source.query(
      `DELETE FROM health_changes WHERE dependency = $1 AND at < greatest(
         (SELECT max(at) FROM health_changes WHERE dependency = $1 AND at < now() - $2 * interval '1 day'),
         (SELECT at FROM health_changes WHERE dependency = $1 ORDER BY at DESC OFFSET ${MAX_KEPT - 1} LIMIT 1))`,
      [dependency, HEALTH_HISTORY_DAYS],
    );
  }
}

/** The names of the dependencies, by one index step for each. */
const DEPENDENCIES = `
  WITH RECURSIVE known AS (
    (SELECT dependency AS name FROM health_changes ORDER BY dependency LIMIT 1)
    UNION ALL
    SELECT next.dependency FROM known, LATERAL (
      SELECT dependency FROM health_changes WHERE dependency > known.name ORDER BY dependency LIMIT 1) AS next
  ) SELECT name FROM known`;
