import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, type FieldSpec } from '@app/kernel';
import { CaptureOptions } from './capture-options.js';

/** Options that the API does itself, and the address, which is in a column of its own. */
const NOT_OF_WORKERS: ReadonlySet<string> = new Set([
  'url',
  'cache_key',
  'cache_ttl_s',
  'stale_ttl_s',
  'force',
  'response',
  'filename',
  'reference',
]);

const FIELDS = fieldsOf(CaptureOptions).filter(({ name }) => !NOT_OF_WORKERS.has(name));
const CHOICES = new Map(FIELDS.map((field) => [field.name, choicesOf(field)]));
const DEFAULTS = new CaptureOptions() as unknown as Readonly<Record<string, unknown>>;

function choicesOf({ schema }: FieldSpec): readonly string[] {
  const { enum: values, items } = schema as {
    enum?: readonly string[];
    items?: { enum?: readonly string[] };
  };
  return values ?? items?.enum ?? [];
}

/**
 * What a worker of this version knows: the names of options (`stable`), and the values of options that have a list of them
 * (`format=avif`).
 */
export const KNOWN_FEATURES: readonly string[] = [...CHOICES]
  .flatMap(([name, choices]) => (choices.length > 0 ? choices.map((choice) => `${name}=${choice}`) : [name]))
  .sort();

/**
 * The features that a worker must know to make this capture as asked; null for a capture that any worker makes. A worker that does
 * not know an option ignores it, and makes another capture.
 *
 * @param stated the options as they were sent, over the defaults of the operator
 */
export function neededFeatures(stated: Readonly<Record<string, unknown>>): string[] | null {
  const needed = new Set(Object.entries(stated).flatMap(([name, value]) => featuresOf(name, value)));
  return needed.size === 0 ? null : [...needed].sort();
}

function featuresOf(name: string, value: unknown): string[] {
  const choices = CHOICES.get(name);
  // A worker that does not know an option does what its default says.
  if (choices === undefined || value === null || isDeepStrictEqual(value, DEFAULTS[name])) return [];
  if (choices.length > 0) return ([value].flat() as string[]).map((choice) => `${name}=${choice}`);
  const outputs = name === 'outputs' ? (value as readonly Record<string, unknown>[]) : [];
  return [name, ...outputs.flatMap((output) => neededFeatures(output) ?? [])];
}
