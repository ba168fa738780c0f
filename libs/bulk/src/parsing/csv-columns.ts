import { isUtf8 } from 'node:buffer';
import { CaptureOptions, optionFaults } from '@app/capture';
import { fieldsOf, nearestName, readText, type Fault, type FieldSpec } from '@app/kernel';
import { MAX_CELL_VALUES, MAX_COLUMNS } from '../limits.js';
import { invalidCsv } from './csv-head.js';
import type { CsvRecord } from './csv-records.js';
import type { RawOptions } from './row-checker.js';

const OPTIONS: ReadonlyMap<string, FieldSpec> = new Map(
  fieldsOf(CaptureOptions).map((spec) => [spec.name, spec]),
);

/** A row needs one of them. */
const TARGETS: readonly string[] = ['url', 'html'];

/** Length of a column name in a response; a hostile one must not be echoed whole. */
const MAX_NAME = 100;

/**
 * The options that the columns of a CSV stand for.
 *
 * @throws AppError `invalid_csv` with every fault of the header
 */
export function readHeader({ cells, line }: CsvRecord, defaults: RawOptions): readonly FieldSpec[] {
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

/** Every row needs a target. One fault of the header is clearer than one of each row. */
function targetFault(names: readonly (string | undefined)[], defaults: RawOptions): Fault[] {
  const hasTarget = TARGETS.some((name) => names.includes(name) || Object.hasOwn(defaults, name));
  if (hasTarget || names.some(isMisspeltTarget)) return [];
  const detail = 'is missing: the first line must name the columns, one of them url';
  return [{ pointer: 'url', column: 'url', code: 'required', detail }];
}

/** The fault of such a name suggests the target, which says enough. */
function isMisspeltTarget(name: string | undefined): boolean {
  return name !== undefined && TARGETS.includes(nearestName(name, [...OPTIONS.keys()]) ?? '');
}

/** The text of a cell whose bytes were read as Latin 1; undefined when they are not UTF-8. */
export function decodeCell(cell: string): string | undefined {
  if (!/[\x80-\xff]/.test(cell)) return cell;
  const bytes = Buffer.from(cell, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** A cell that removes a default, as `null` does in JSON. */
const REMOVE = '!';

/** A text that consists of such signs is written with one more, so that every value can be expressed. */
const ESCAPED = /^!{2,}$/;

/** The value of a cell for an option; null removes its default. Spreadsheets write `true` as TRUE, whatever was typed. */
export function readCell(spec: FieldSpec, text: string): unknown {
  if (text === REMOVE) return null;
  const value = ESCAPED.test(text) ? text.slice(1) : text;
  return readText(spec, spec.kind === 'flag' ? value.toLowerCase() : value);
}

const [COMMA, TEXT, ESCAPE] = [0x2c, 0x22, 0x5c];

/** Whether a list or an object of JSON has more values than any option may have. Most cells are too short for them. */
export function hasTooManyValues({ kind }: FieldSpec, text: string): boolean {
  if ((kind !== 'list' && kind !== 'map') || text.length <= MAX_CELL_VALUES) return false;
  let values = 1;
  let isInText = false;
  for (let i = 0; i < text.length && values <= MAX_CELL_VALUES; i++) {
    const character = text.charCodeAt(i);
    if (character === ESCAPE) i++;
    else if (character === TEXT) isInText = !isInText;
    else if (!isInText && (character === COMMA || OPENING.has(character))) values++;
  }
  return values > MAX_CELL_VALUES;
}

/** The brackets of lists and objects, which nest. */
const OPENING = new Set([0x5b, 0x7b]);
