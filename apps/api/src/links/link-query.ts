/**
 * The query of a link as `application/x-www-form-urlencoded` (WHATWG URL), strictly: `+` and `%20` are both a space, and what
 * the standard repairs silently is a fault. Values are converted by the kind of the field, as the cells of a CSV are; a
 * list is written by repeating its name.
 */
import { isUtf8 } from 'node:buffer';
import { readText, type Fault, type FieldSpec } from '@app/kernel';

/** A hostile name must not be echoed in full. */
const MAX_NAME = 100;

export type Fields = ReadonlyMap<string, FieldSpec>;

/** The values of a query by name; those that could not be read are missing. */
export interface ReadQuery {
  readonly values: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
}

/** @param query as it was sent, each byte as one character; `fields` are the names whose kind is known */
export function readQuery(query: string, fields: Fields): ReadQuery {
  const texts = new Map<string, string[]>();
  const faults: Fault[] = [];
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const at = pair.indexOf('=');
    const [sentName, sentValue] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    const name = decode(sentName);
    const value = decode(sentValue);
    if (typeof name !== 'string') faults.push(faultOf(sentName, name));
    else if (typeof value !== 'string') faults.push(faultOf(name, value));
    else texts.set(name, [...(texts.get(name) ?? []), value]);
  }
  const values: [string, unknown][] = [];
  for (const [name, all] of texts) {
    const isList = fields.get(name)?.kind === 'list';
    if (all.length > 1 && !isList) faults.push(faultOf(name, REPEATED));
    else values.push([name, isList ? listOf(all) : valueOf(fields.get(name), all[0] ?? '')]);
  }
  return { values: Object.fromEntries(values), faults };
}

function valueOf(spec: FieldSpec | undefined, text: string): unknown {
  return spec ? readText(spec, text) : text;
}

/** No list has an empty text as an item, so that a name with one is the empty list. */
function listOf(texts: readonly string[]): readonly string[] {
  return texts.length === 1 && texts[0] === '' ? [] : texts;
}

type TextFault = Pick<Fault, 'code' | 'detail'>;

const REPEATED: TextFault = { code: 'repeated', detail: 'must be set once: only a list is repeated' };
const BAD_PERCENT: TextFault = {
  code: 'invalid_characters',
  detail: 'has a % that two hexadecimal digits do not follow; encode it as %25',
};
const NOT_UTF8: TextFault = { code: 'invalid_characters', detail: 'is not valid UTF-8' };

/** The text that a name or a value encodes, or why it encodes none. */
function decode(sent: string): string | TextFault {
  if (/%(?![0-9A-Fa-f]{2})/.test(sent)) return BAD_PERCENT;
  const bytes = Buffer.from(
    sent
      .replaceAll('+', ' ')
      .replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );
  return isUtf8(bytes) ? bytes.toString() : NOT_UTF8;
}

function faultOf(name: string, fault: TextFault): Fault {
  return { pointer: `/${name.slice(0, MAX_NAME)}`, ...fault };
}
