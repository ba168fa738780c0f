import type { ComparisonCheckService } from '@app/jobs';
import type { AppError, Fault } from '@app/kernel';
import type { SessionUsesService } from '@app/sessions';
import { MAX_BAD_ROWS } from '../limits.js';
import { isBad, refused, type CheckedRow, type GoodRow } from '../parsing/row-checker.js';

/** Rows that are checked with one query. They are kept in memory until then. */
const ROWS_PER_QUERY = 1_000;

/** What the database knows of the captures and sessions that rows name. */
interface Checks {
  readonly comparisons: Pick<ComparisonCheckService, 'faultsOf'>;
  readonly sessions: Pick<SessionUsesService, 'bindAll'>;
}

/**
 * The rows in their order; those that cannot be compared with the capture they name, or that cannot use their session, become bad
 * rows. The others are bound to their sessions.
 */
export async function* acceptableRows(
  rows: AsyncIterable<CheckedRow> | Iterable<CheckedRow>,
  accountId: string,
  checks: Checks,
): AsyncGenerator<CheckedRow, void, undefined> {
  let held: CheckedRow[] = [];
  let bad = 0;
  for await (const row of rows) {
    // Rows that name nothing wait only for one before them.
    if (held.length === 0 && !namesAny(row)) {
      yield row;
      continue;
    }
    held.push(row);
    if (isBad(row)) bad++;
    // A batch that must have none is refused at so many.
    if (held.length < ROWS_PER_QUERY && bad < MAX_BAD_ROWS) continue;
    yield* await checked(held, accountId, checks);
    held = [];
    bad = 0;
  }
  yield* await checked(held, accountId, checks);
}

function namesAny(row: CheckedRow): row is GoodRow {
  if (isBad(row)) return false;
  return row.namesAny ?? (row.options.compare_with !== undefined || row.options.session !== undefined);
}

async function checked(
  rows: readonly CheckedRow[],
  accountId: string,
  { comparisons, sessions }: Checks,
): Promise<CheckedRow[]> {
  const naming = rows.filter(namesAny);
  const options = naming.map((row) => row.options);
  const errors = await sessions.bindAll(accountId, options);
  const faults = await comparisons.faultsOf(accountId, options);
  const faultOf = new Map(
    naming.map((row, i) => {
      const error = errors[i];
      return [row.row, error ? toFault(error) : faults[i]];
    }),
  );
  return rows.map((row) => {
    const fault = faultOf.get(row.row);
    return fault && !isBad(row) ? refused(row, fault) : row;
  });
}

/** Why a session cannot be used, as a fault of the row that names it. */
export function toFault({ code, facts }: AppError): Fault {
  const [fault] = facts.errors ?? [];
  return fault ?? { pointer: '/session', code, detail: facts.detail ?? code };
}
