import leven from 'leven';
import { OPTIONS, type Values } from './options.js';
import { schemaFault } from './schema-fault.js';

/** A name with as many changed letters is taken for another one. */
const MAX_DISTANCE = 3;

/** The options as JSON. */
export function textOf(values: Values): string {
  return JSON.stringify(values, null, 2);
}

export type ReadText =
  | { readonly values: Values; readonly fault?: undefined }
  | { readonly fault: string; readonly values?: undefined };

/** The options of a JSON text; a text of nothing is no options. */
export function valuesOf(text: string): ReadText {
  if (text.trim() === '') return { values: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `This is not valid JSON: ${(error as Error).message}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fault: 'The options are a JSON object, such as {"full_page": true}.' };
  const unknown = Object.keys(value).find((name) => !OPTIONS.has(name));
  return unknown === undefined ? { values: value as Values } : { fault: unknownName(unknown) };
}

/** What is wrong with one option of the text, to show where it stands. */
export function entryFault(name: string, value: unknown): string | undefined {
  const option = OPTIONS.get(name);
  if (!option) return unknownName(name);
  const fault = schemaFault(option.schema, value);
  return fault === undefined ? undefined : `${name} ${fault}`;
}

function unknownName(name: string): string {
  const meant = nearestName(name);
  return `${name} is not an option.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}

function nearestName(name: string): string | undefined {
  const plain = name.toLowerCase().replaceAll('-', '_');
  const [nearest] = [...OPTIONS.keys()]
    .map((each) => ({ each, distance: leven(plain.replaceAll('_', ''), each.replaceAll('_', '')) }))
    .filter(({ each, distance }) => distance <= Math.min(MAX_DISTANCE, each.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return nearest?.each;
}
