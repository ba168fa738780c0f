import type { Fault } from '@app/kernel';

/** `cookies` is a list of objects of texts; nothing an option takes lies deeper. */
const MAX_DEPTH = 3;

/** More than any list, map or the options themselves may have: each entry would cost a validation and a fault. */
const MAX_ENTRIES = 200;

/** What they would set is shared by all objects of the process. */
const POISON = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The faults that must be found before anything copies the value: nesting that would overflow the stack, lists that
 * would hold up the process, and keys that would be lost or do harm on the way.
 */
export function shapeFaults(value: unknown, pointer = '', depth = 0): Fault[] {
  if (typeof value !== 'object' || value === null) return [];
  if (depth >= MAX_DEPTH) return [{ pointer, code: 'too_deep', detail: 'is nested too deeply' }];
  const entries = Object.entries(value);
  if (entries.length > MAX_ENTRIES) {
    return [{ pointer, code: 'too_many', detail: `must have at most ${MAX_ENTRIES} entries` }];
  }
  return entries.flatMap(([key, item]) => {
    const place = `${pointer}/${key.slice(0, 100)}`;
    return POISON.has(key)
      ? [{ pointer: place, code: 'unknown_field', detail: 'is not a known field' }]
      : shapeFaults(item, place, depth + 1);
  });
}
