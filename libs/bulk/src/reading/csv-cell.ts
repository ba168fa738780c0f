import { isUtf8 } from 'node:buffer';
import { readText, type FieldSpec } from '@app/kernel';

/** The text of a cell whose bytes were read as Latin 1; undefined when they are not UTF-8. */
export function decodeCell(cell: string): string | undefined {
  if (!/[\x80-\xff]/.test(cell)) return cell;
  const bytes = Buffer.from(cell, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** A cell that lifts a default, as `null` does in JSON. */
const LIFT = '!';

/** A text that is nothing but such signs is written with one more, so that no value is lost to the sign. */
const ESCAPED = /^!{2,}$/;

/** What a cell says of an option; null lifts its default. Spreadsheets write `true` as TRUE, whatever was typed. */
export function readCell(spec: FieldSpec, text: string): unknown {
  if (text === LIFT) return null;
  const value = ESCAPED.test(text) ? text.slice(1) : text;
  return readText(spec, spec.kind === 'flag' ? value.toLowerCase() : value);
}
