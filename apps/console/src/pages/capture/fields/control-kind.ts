import type { CatalogueOption } from '@capture-service/client';

export type ControlKind =
  | 'device'
  | 'session'
  | 'switch'
  | 'number'
  | 'choice'
  | 'text'
  | 'long-text'
  | 'tags'
  | 'choices'
  | 'map'
  | 'json'
  | 'actions'
  | 'recording';

/** A text that may be longer is code or a document. */
const LONG_TEXT = 5_000;

/** The control that fits the rule of an option. */
export function controlKind({ name, schema }: CatalogueOption): ControlKind {
  if (name === 'device' || name === 'session' || name === 'actions' || name === 'recording') return name;
  switch (schema.type) {
    case 'boolean':
      return 'switch';
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
      if (schema.enum) return 'choice';
      return (schema.maxLength ?? 0) > LONG_TEXT ? 'long-text' : 'text';
    case 'array':
      if (schema.items?.enum) return 'choices';
      return schema.items?.type === 'string' ? 'tags' : 'json';
    case 'object':
      return 'map';
  }
}

/** Whether the control stands beside the name; the others need the whole line. */
export function isShort(kind: ControlKind, { schema }: CatalogueOption): boolean {
  return (
    kind === 'switch' ||
    kind === 'number' ||
    kind === 'choice' ||
    (kind === 'text' && (schema.maxLength ?? 0) <= 40)
  );
}

/** What may be stated: `16 to 7,680`, `at most 50 entries`. */
export function limitsOf({ schema: { minimum, maximum, maxItems } }: CatalogueOption): string | undefined {
  const number = (value: number) => value.toLocaleString('en-US');
  if (minimum !== undefined && maximum !== undefined) return `${number(minimum)} to ${number(maximum)}`;
  return maxItems === undefined ? undefined : `at most ${number(maxItems)} entries`;
}

/** The default in words; undefined where nothing applies. */
export function defaultText(fallback: unknown): string | undefined {
  if (typeof fallback === 'boolean') return fallback ? 'on' : 'off';
  if (typeof fallback === 'string' || typeof fallback === 'number') return String(fallback);
  return undefined;
}
