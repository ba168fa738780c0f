import { fieldsOf, type AnyClass, type Fault, type FieldSpec } from '@app/kernel';
import { formatsOf } from '../formats/index.js';
import { CaptureOptions, FAMILIES } from './capture-options.js';
import { formatsAsked } from './outputs.js';
import type { FamilyHooks } from '../pipeline/family.js';

/** `cookies` is a list of objects of texts; few options are nested deeper. */
const MAX_DEPTH = 3;
/** The options that are: a step has lists of texts, and one of a recording has lists of lists of them. */
const DEEPER: Readonly<Record<string, number>> = { actions: 4, recording: 6 };

/** More than any list, map or the options themselves may have. Each entry costs a validation and may cause a fault. */
const MAX_ENTRIES = 200;

/** Keys that could change a prototype, which all objects of the process share. */
const UNSAFE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The faults that must be found before a value is copied: nesting that would overflow the stack, lists that would block the
 * process, and keys that could change a prototype.
 */
export function shapeFaults(value: unknown, pointer = ''): Fault[] {
  return faultsAt(value, pointer, { depth: 0, maxDepth: MAX_DEPTH });
}

interface Depth {
  readonly depth: number;
  readonly maxDepth: number;
}

function faultsAt(value: unknown, pointer: string, { depth, maxDepth }: Depth): Fault[] {
  if (typeof value !== 'object' || value === null) return [];
  if (depth >= maxDepth) return [{ pointer, code: 'too_deep', detail: 'is nested too deeply' }];
  const entries = Object.entries(value);
  if (entries.length > MAX_ENTRIES) {
    return [{ pointer, code: 'too_many', detail: `must have at most ${MAX_ENTRIES} entries` }];
  }
  return entries.flatMap(([key, item]) => {
    const path = `${pointer}/${key.slice(0, 100)}`;
    if (UNSAFE_KEYS.has(key)) {
      return [{ pointer: path, code: 'unknown_field', detail: 'is not a known field' }];
    }
    const own = depth === 0 && Object.hasOwn(DEEPER, key) ? DEEPER[key] : undefined;
    return faultsAt(item, path, { depth: depth + 1, maxDepth: own ?? maxDepth });
  });
}

/** The name of the field that a fault is about. */
export function fieldOf({ pointer }: Fault): string {
  return pointer.split('/')[1] ?? '';
}

/** Options, and those of them that the caller sent. */
export interface ParsedOptions {
  readonly given: Readonly<Record<string, unknown>>;
  readonly options: CaptureOptions;
}

/** Families whose rules over several fields are checked. */
export type RuledFamilies = readonly (FamilyHooks<CaptureOptions> & { readonly type: AnyClass })[];

/** The faults of rules over several fields, for each family without faulty fields: others would report misleading faults. */
export function ruleFaults(
  { given, options }: ParsedOptions,
  faults: readonly Fault[],
  families: RuledFamilies = FAMILIES,
): Fault[] {
  const faulty = new Set(faults.map(fieldOf));
  if (faulty.has('')) return [];
  const names = new Set(Object.keys(given).filter((name) => given[name] !== undefined));
  const isFaulty = ({ name }: FieldSpec): boolean => faulty.has(name);
  return [
    ...(faulty.has('format') || faulty.has('outputs') ? [] : formatFaults(given)),
    ...families
      .filter(({ type }) => faulty.size === 0 || !fieldsOf(type).some(isFaulty))
      .flatMap(({ check }) => check?.(options, names) ?? []),
  ];
}

/** An option that has no meaning for any of the formats is refused: if it were ignored, it would seem to work. */
function formatFaults(given: ParsedOptions['given']): Fault[] {
  const asked = formatsAsked(given);
  return fieldsOf(CaptureOptions).flatMap(({ name }) => {
    const formats = Object.hasOwn(given, name) ? formatsOf(name) : undefined;
    if (!formats || formats.some((format) => asked.includes(format))) return [];
    const detail = `has no meaning for format ${asked.join(', ')}, only for ${formats.join(', ')}`;
    return [{ pointer: `/${name}`, code: 'not_for_format', detail }];
  });
}
