import type { FieldSpec } from './field-spec.js';

/** PostgreSQL stores neither NUL nor lone surrogates. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * Whether a value is valid beyond doubt. class-validator takes many times as long, and is asked only about other values:
 * what is not valid, for the words of the fault, and what this look does not cover, such as patterns and maps.
 */
export function isPlainlyValid({ kind, schema, check }: FieldSpec, value: unknown): boolean {
  if (!isOfKind(kind, schema, value)) return false;
  try {
    return check?.(value as never) === undefined;
  } catch {
    return false;
  }
}

function isOfKind(kind: FieldSpec['kind'], schema: FieldSpec['schema'], value: unknown): boolean {
  switch (kind) {
    case 'flag':
      return typeof value === 'boolean';
    case 'whole':
      return Number.isInteger(value) && isInRange(schema, value as number);
    case 'decimal':
      return Number.isFinite(value) && isInRange(schema, value as number);
    case 'choice':
      return isAmong(schema.enum, value);
    case 'text':
      return isText(schema, value);
    case 'list':
      return Array.isArray(value) && isTextList(schema, value);
    case 'map':
      return false;
    default:
      return kind satisfies never;
  }
}

type Schema = Readonly<Record<string, unknown>>;

function isInRange({ minimum, maximum }: Schema, value: number): boolean {
  return value >= (minimum as number) && value <= (maximum as number);
}

function isAmong(values: unknown, value: unknown): boolean {
  return (values as readonly unknown[]).includes(value);
}

/** Characters that class-validator does not count by UTF-16 units. */
const COUNTED_OTHERWISE = /[\ud800-\udfff]|\ufe0e|\ufe0f/;

function isText({ minLength, maxLength, pattern }: Schema, value: unknown): boolean {
  return (
    typeof value === 'string' &&
    pattern === undefined &&
    value.length >= (minLength as number) &&
    value.length <= (maxLength as number) &&
    !COUNTED_OTHERWISE.test(value) &&
    isStorable(value)
  );
}

function isTextList({ items, maxItems }: Schema, list: readonly unknown[]): boolean {
  const { type, enum: values, ...item } = items as Schema;
  if (type !== 'string' || list.length > (maxItems as number)) return false;
  return list.every((each) => (values === undefined ? isText(item, each) : isAmong(values, each)));
}
