import { isUtf8 } from 'node:buffer';
import { readText, type FieldSpec } from '@app/kernel';

/** The text of a cell whose bytes were read as Latin 1; undefined when they are not UTF-8. */
export function decodeCell(cell: string): string | undefined {
  if (!/[\x80-\xff]/.test(cell)) return cell;
  const bytes = Buffer.from(cell, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** What a cell says of an option. Spreadsheets write `true` as TRUE, whatever was typed. */
export function readCell(spec: FieldSpec, text: string): unknown {
  return readText(spec, spec.kind === 'flag' ? text.toLowerCase() : text);
}
