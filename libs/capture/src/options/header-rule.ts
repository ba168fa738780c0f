import { validateHeaderName } from 'node:http';

const MAX_HEADERS = 100;
const MAX_BYTES = 16_384;

/** Headers of the transport, and those that browsers do not allow scripts to set. */
const FORBIDDEN = new Set([
  'accept-charset',
  'access-control-request-headers',
  'access-control-request-method',
  'connection',
  'content-length',
  'cookie2',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  // Property names of every object: a map that has one could pollute a prototype when it is copied.
  '__proto__',
  'constructor',
  'prototype',
]);
const FORBIDDEN_PREFIX = /^(proxy|sec)-/;

/** The fault of a map of request headers, or undefined. */
export function headersFault(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return `must have at most ${MAX_HEADERS} headers`;
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > MAX_BYTES) return 'must be at most 16 kB in all';
  const names = entries.map(([name]) => name.toLowerCase());
  if (new Set(names).size < names.length) return 'must have each header once; their case does not matter';
  return entries.map(([name, value]) => headerFault(name, value)).find((fault) => fault !== undefined);
}

function headerFault(name: string, value: string): string | undefined {
  if (!isHeaderName(name)) return 'must have header names of letters, digits and -';
  const lower = name.toLowerCase();
  if (lower === 'cookie') return 'must not hold Cookie; use cookies';
  if (FORBIDDEN.has(lower) || FORBIDDEN_PREFIX.test(lower)) return `must not set ${name}`;
  // The value may be a secret, so only the name is reported.
  return /^[\t\x20-\x7e]*$/.test(value)
    ? undefined
    : `must have values of printable ASCII; that of ${name} is not`;
}

function isHeaderName(name: string): boolean {
  try {
    validateHeaderName(name);
    return name.length <= 100;
  } catch {
    return false;
  }
}
