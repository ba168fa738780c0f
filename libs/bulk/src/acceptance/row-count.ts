import { AppError, boundText, pluralize, invalidRequest, type ErrorBody, type Fault } from '@app/kernel';
import { MAX_BAD_ROWS, MAX_FAULTS, MAX_ROW_FAULTS, MAX_ROWS, tooManyRows } from '../limits.js';
import { isBad, type BadRow, type CheckedRow } from '../parsing/row-checker.js';

/** Counts the rows of a batch, and collects the faults of its bad rows. */
export class RowCount {
  total = 0;
  rejected = 0;
  /** At most `MAX_FAULTS`, and in a report on every row at least one of each bad row. */
  readonly faults: Fault[] = [];
  /** The number of faults that `faults` leaves out. */
  omitted = 0;

  constructor(private readonly reports: 'first faults' | 'every row') {}

  get valid(): number {
    return this.total - this.rejected;
  }

  /** Whether a batch that must have no bad row is not checked further: the answer has enough faults. */
  get isBeyondRepair(): boolean {
    return this.rejected >= MAX_BAD_ROWS || this.faults.length >= MAX_FAULTS;
  }

  /** @throws AppError `payload_too_large` */
  add(row: CheckedRow): void {
    if (this.total === MAX_ROWS) throw tooManyRows();
    this.total++;
    if (!isBad(row)) return;
    this.rejected++;
    const room = Math.max(this.reports === 'every row' ? 1 : 0, MAX_FAULTS - this.faults.length);
    this.faults.push(...row.faults.slice(0, room));
    this.omitted += Math.max(0, row.faults.length - room);
  }

  /** @throws AppError `invalid_request` */
  assertAny(): void {
    if (this.total === 0) throw new AppError('invalid_request', { detail: 'The batch has no rows.' });
  }

  /** The refusal of a batch of which every row must be valid. */
  toError(kind: 'csv' | 'json'): AppError {
    const { rejected, total, faults, isBeyondRepair } = this;
    const listed = this.omitted > 0 ? `, which are the first ${MAX_FAULTS}` : '';
    const many = pluralize(total, 'row', 'rows');
    const found = isBeyondRepair
      ? `${rejected} of the first ${many} are not valid, and the rows after these were not checked (dry_run=true checks all)`
      : `${rejected} of ${many} ${rejected === 1 ? 'is' : 'are'} not valid`;
    return new AppError(kind === 'csv' ? 'invalid_csv' : 'invalid_request', {
      detail: `${found}; nothing is stored. Correct the faults in errors${listed}, or send on_invalid=skip to capture the other rows.`,
      errors: faults,
      ...(isBeyondRepair && { rowsChecked: total }),
    });
  }
}

/** The error in the record of a bad row. Faults quote column names, which may have characters that PostgreSQL refuses. */
export function errorOf({ faults }: BadRow): ErrorBody {
  return invalidRequest(faults.slice(0, MAX_ROW_FAULTS).map(storable)).toBody();
}

function storable({ pointer, detail, column, ...fault }: Fault): Fault {
  return {
    ...fault,
    pointer: boundText('message', pointer),
    detail: boundText('message', detail),
    ...(column !== undefined && { column: boundText('message', column) }),
  };
}
