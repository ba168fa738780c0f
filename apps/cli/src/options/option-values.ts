import type { CatalogueOption } from '@capture-service/client';
import { InvalidArgumentError } from 'commander';
import { readNamedFile } from '../input-file.js';
import { readCookie } from './cookie.js';

/**
 * Reads one value of a flag; `previous` has those before it of a flag that may be repeated. Only what the type needs is
 * checked: the service checks the rules of each option, and knows those of its own version.
 */
export type ValueReader = (text: string, previous: unknown) => unknown;

/** Lists whose values have no comma, so that commas may separate them; those with fixed values are such, too. */
const COMMA_LISTS = new Set(['fail_on_status']);

/** The reader of an option's flag, by the type of its schema. */
export function readerOf({ name, schema }: CatalogueOption): ValueReader {
  switch (schema.type) {
    case 'integer':
      return wholeNumber;
    case 'number':
      return (text) => numberOf(text, /^[+-]?(\d+\.?\d*|\.\d+)$/, 'a number');
    case 'object':
      return (text, previous) => ({ ...(previous as object | undefined), ...objectOf(text) });
    case 'array': {
      const hasCommas = schema.items?.enum !== undefined || COMMA_LISTS.has(name);
      const itemsOf =
        schema.items?.type === 'object' ? objectsOf(name) : (text: string) => textsOf(text, hasCommas);
      return (text, previous) => [...((previous as unknown[] | undefined) ?? []), ...itemsOf(text)];
    }
    case 'string':
    case 'boolean':
      return (text) => text;
    default:
      return schema.type satisfies never;
  }
}

function numberOf(text: string, shape: RegExp, what: string): number {
  if (!shape.test(text)) throw new InvalidArgumentError(`It takes ${what}.`);
  return Number(text);
}

/** Reads a whole number. */
export const wholeNumber = (text: string): number => numberOf(text, /^[+-]?\d+$/, 'a whole number');

/** `Name: value`, or a JSON object. */
function objectOf(text: string): Record<string, unknown> {
  const json = jsonOf(text);
  if (typeof json === 'object' && json !== null && !Array.isArray(json))
    return json as Record<string, unknown>;
  const [, name, value] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("It takes 'Name: value' or a JSON object.");
  return { [name]: value };
}

/** One value, or a JSON list of them. A CSS selector such as `[hidden]` is no JSON. */
function textsOf(text: string, hasCommas: boolean): unknown[] {
  const json = jsonOf(text);
  if (Array.isArray(json)) return json;
  return hasCommas ? text.split(',').map((part) => part.trim()) : [text];
}

const objectsOf =
  (name: string) =>
  (text: string): unknown[] => {
    const json = jsonOf(text.startsWith('@') ? readNamedFile(text.slice(1)).toString() : text);
    if (Array.isArray(json)) return json;
    if (typeof json === 'object' && json !== null) return [json];
    if (name === 'cookies' && !text.startsWith('@')) return [readCookie(text)];
    throw new InvalidArgumentError('It takes JSON, or @file with JSON.');
  };

/** Undefined when the text is no JSON. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
