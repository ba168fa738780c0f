import { CaptureOptions, optionFaults } from '@app/capture';
import { fieldsOf, type Fault, type FieldSpec } from '@app/kernel';
import { MAX_COLUMNS } from '../limits.js';
import { invalidCsv } from './csv-fault.js';
import { decodeCell } from './csv-cell.js';
import type { CsvRecord } from './csv-records.js';
import type { Given } from './row-checker.js';

const OPTIONS: ReadonlyMap<string, FieldSpec> = new Map(
  fieldsOf(CaptureOptions).map((spec) => [spec.name, spec]),
);

/** Of a name in an answer: a hostile one must not come back whole. */
const MAX_NAME = 100;

/**
 * The options that the columns of a CSV stand for.
 *
 * @throws AppError `invalid_csv` with every fault of the header
 */
export function readHeader({ cells, line }: CsvRecord, defaults: Given): readonly FieldSpec[] {
  if (cells.length > MAX_COLUMNS) {
    throw invalidCsv(`The header has ${cells.length} columns; there may be at most ${MAX_COLUMNS}.`);
  }
  const names = cells.map((cell) => decodeCell(cell)?.trim());
  const faults = [
    ...names.flatMap((name, i) => columnFault(names, name, i)),
    ...targetFault(names, defaults),
  ];
  if (faults.length > 0) {
    const [first] = faults;
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
    throw invalidCsv(
      `The column ${first?.pointer ?? ''} ${first?.detail ?? ''}${more}`,
      faults.map((fault) => ({ ...fault, line })),
    );
  }
  return names.flatMap((name) => OPTIONS.get(name ?? '') ?? []);
}

function columnFault(names: readonly (string | undefined)[], name: string | undefined, i: number): Fault[] {
  const column = name === undefined || name === '' ? String(i + 1) : name.slice(0, MAX_NAME);
  const fault = (code: string, detail: string): Fault[] => [{ pointer: column, column, code, detail }];
  if (name === undefined) return fault('invalid_characters', 'has a name that is not valid UTF-8');
  if (name === '') return fault('empty_name', 'has no name: name it after an option, or remove it');
  if (names.indexOf(name) < i) return fault('repeated', 'is there more than once');
  if (OPTIONS.has(name)) return [];
  const [unknown] = optionFaults({ [name]: null }, '');
  return unknown ? fault(unknown.code, unknown.detail) : [];
}

/** Every row needs a target; without a column or a default for it there would be a fault for each. */
function targetFault(names: readonly (string | undefined)[], defaults: Given): Fault[] {
  const hasTarget = ['url', 'html'].some((name) => names.includes(name) || Object.hasOwn(defaults, name));
  if (hasTarget) return [];
  const detail = 'is missing: the first line must name the columns, one of them url';
  return [{ pointer: 'url', column: 'url', code: 'required', detail }];
}
