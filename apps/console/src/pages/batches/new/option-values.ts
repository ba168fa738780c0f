import type { CatalogueSchema } from '@capture-service/client';

/** The value that a text stands for in an option. A text that is no such value stays as it is: the API says what is wrong with it. */
export function readValue({ type }: CatalogueSchema, text: string): unknown {
  if (type === 'string') return text;
  if (type === 'integer' || type === 'number') return isNumber(text) ? Number(text) : text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return type === 'array' && text.trim() !== '' ? text.split(',').map((each) => each.trim()) : text;
  }
}

export function defaultText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}
