import { AppError, boundText, pluralize, invalidRequest, type ErrorBody, type Fault } from '@app/kernel';
import { MAX_FAULTS, MAX_ROW_FAULTS, MAX_ROWS } from '../limits.js';
import { isBad, type BadRow, type CheckedRow } from '../reading/checked-row.js';

/** How many rows a batch has, how many of them are not valid, and why. */
export class RowCount {
  total = 0;
  rejected = 0;
  /** The first `MAX_FAULTS`. */
  readonly faults: Fault[] = [];

  get valid(): number {
    return this.total - this.rejected;
  }

  /** @throws AppError `payload_too_large` */
  add(row: CheckedRow): void {
    if (this.total === MAX_ROWS) {
      throw new AppError('payload_too_large', { detail: `A batch has up to ${MAX_ROWS} rows.` });
    }
    this.total++;
    if (!isBad(row)) return;
    this.rejected++;
    this.faults.push(...row.faults.slice(0, MAX_FAULTS - this.faults.length));
  }

  /** @throws AppError `invalid_request` */
  assertAny(): void {
    if (this.total === 0) throw new AppError('invalid_request', { detail: 'The batch has no rows.' });
  }

  /** Of a batch that is to be valid as a whole. */
  toError(kind: 'csv' | 'json'): AppError {
    const { rejected, total, faults } = this;
    return new AppError(kind === 'csv' ? 'invalid_csv' : 'invalid_request', {
      detail: `${rejected} of ${pluralize(total, 'row', 'rows')} ${rejected === 1 ? 'is' : 'are'} not valid; nothing is stored. Correct the faults in errors, or send on_invalid=skip to capture the other rows.`,
      errors: faults,
    });
  }
}

/** What the record of a row says that was not valid. An answer quotes names as they are; PostgreSQL does not take all. */
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
