import type { ComparisonCheckService } from '@app/jobs';
import { isBad, refused, type CheckedRow, type GoodRow } from '../parsing/row-checker.js';

/** Rows that are checked with one query. They are kept in memory until then. */
const ROWS_PER_QUERY = 1_000;

/** The rows in their order; those that cannot be compared with the capture they name become bad rows. */
export async function* comparableRows(
  rows: AsyncIterable<CheckedRow> | Iterable<CheckedRow>,
  accountId: string,
  comparisons: Pick<ComparisonCheckService, 'faultsOf'>,
): AsyncGenerator<CheckedRow, void, undefined> {
  let held: CheckedRow[] = [];
  for await (const row of rows) {
    // Rows without a comparison wait only for one before them.
    if (held.length === 0 && !isCompared(row)) {
      yield row;
      continue;
    }
    held.push(row);
    if (held.length < ROWS_PER_QUERY) continue;
    yield* await checked(held, accountId, comparisons);
    held = [];
  }
  yield* await checked(held, accountId, comparisons);
}

function isCompared(row: CheckedRow): row is GoodRow {
  return !isBad(row) && row.options.compare_with !== undefined;
}

async function checked(
  rows: readonly CheckedRow[],
  accountId: string,
  comparisons: Pick<ComparisonCheckService, 'faultsOf'>,
): Promise<CheckedRow[]> {
  const compared = rows.filter(isCompared);
  const faults = await comparisons.faultsOf(
    accountId,
    compared.map(({ options }) => options),
  );
  const faultOf = new Map(compared.map((row, i) => [row.row, faults[i]]));
  return rows.map((row) => {
    const fault = faultOf.get(row.row);
    return fault && !isBad(row) ? refused(row, fault) : row;
  });
}
