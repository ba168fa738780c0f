import type { CatalogueOption } from '@capture-service/client';
import { InvalidArgumentError } from 'commander';
import { readNamedFile } from '../files/input-file.js';

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
      return (text, previous) => ({ ...(previous as object | undefined), ...objectOf(name, text) });
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

/** Options whose values are usually in a file, which is named with or without `@`. */
const IN_FILES = new Set(['actions', 'recording']);

/** The text itself, or that of the file that it names. */
function contentOf(name: string, text: string): string {
  const isJson = /^\s*[[{]/.test(text);
  if (text.startsWith('@')) return readNamedFile(text.slice(1)).toString();
  return IN_FILES.has(name) && !isJson ? readNamedFile(text).toString() : text;
}

/** `Name: value`, a JSON object, or a file with one. */
function objectOf(name: string, given: string): Record<string, unknown> {
  const text = contentOf(name, given);
  const json = jsonOf(text);
  if (typeof json === 'object' && json !== null && !Array.isArray(json))
    return json as Record<string, unknown>;
  const [, key, value] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined)
    throw new InvalidArgumentError("It takes 'Name: value', a JSON object, or @file with one.");
  return { [key]: value };
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
    const json = jsonOf(contentOf(name, text));
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

/** Attributes of `Set-Cookie` (RFC 6265) by the names that the service gives them. */
const ATTRIBUTES: Readonly<Record<string, { name: string; read: (value: string) => unknown }>> = {
  domain: { name: 'domain', read: (value) => value.toLowerCase() },
  path: { name: 'path', read: (value) => value },
  expires: { name: 'expires', read: (value) => secondsOf(value) },
  secure: { name: 'secure', read: () => true },
  httponly: { name: 'http_only', read: () => true },
  samesite: { name: 'same_site', read: (value) => value.toLowerCase() },
};

/** Reads a cookie as a server sets it: `name=value; Path=/; Secure`. */
function readCookie(text: string): Record<string, unknown> {
  const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
  const { name, value } = halves(pair);
  if (!name || value === undefined) throw new InvalidArgumentError("It takes 'name=value' or JSON.");
  const cookie: Record<string, unknown> = { name, value };
  for (const part of attributes.filter((attribute) => attribute !== '')) {
    const { name: key, value: text = '' } = halves(part);
    const attribute = ATTRIBUTES[key.toLowerCase()];
    if (!attribute) {
      throw new InvalidArgumentError(
        `${key} is no attribute of a cookie: ${Object.keys(ATTRIBUTES).join(', ')}.`,
      );
    }
    cookie[attribute.name] = attribute.read(text);
  }
  return cookie;
}

function halves(text: string): { name: string; value: string | undefined } {
  const at = text.indexOf('=');
  return at < 0 ? { name: text, value: undefined } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** The service takes seconds since 1970; a server may also state a date. */
function secondsOf(value: string): number {
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value);
  if (Number.isNaN(ms)) throw new InvalidArgumentError(`Expires=${value} is no date.`);
  return ms / 1_000;
}
