import { validateSync, type ValidationError } from 'class-validator';
import leven from 'leven';
import { AppError, type Fault } from '../errors/app-error.js';
import { single } from './compose.js';
import { isPlainlyValid } from './quick-look.js';
import { fieldsOf, isPlainObject, type AnyClass, type FieldSpec, type Variants } from './field-spec.js';

/** The faults of a plain value as an object of a class; `instantiate` takes a value without faults. */
export function faultsOf(type: AnyClass, raw: unknown, pointer = ''): Fault[] {
  if (!isPlainObject(raw)) return [{ pointer, code: 'wrong_type', detail: 'must be a JSON object' }];
  const unknown = unknownFields(type, raw, pointer);
  const stated = statedFields(type, raw);
  const nested = stated.flatMap(({ name, items, variants }) => {
    const list = raw[name];
    if (!Array.isArray(list)) return [];
    return list.flatMap((item, i) => {
      const at = `${pointer}/${name}/${i}`;
      return variants ? variantFaults(variants, item, at) : items ? faultsOf(items, item, at) : [];
    });
  });
  const own = stated
    // The items of a list were checked above, where their pointers are known.
    .filter(({ name }) => !nested.some((f) => f.pointer.startsWith(`${pointer}/${name}/`)))
    .filter((spec) => !isPlainlyValid(spec, raw[spec.name]))
    .flatMap((spec) => faultOf(type, spec, raw[spec.name]))
    .map((error) => toFault(error, pointer));
  return [...unknown, ...own, ...nested];
}

const PLACES = new WeakMap<readonly FieldSpec[], ReadonlyMap<string, number>>();

/** The place of each field by its name, for objects that state few of very many fields. */
function placesOf(fields: readonly FieldSpec[]): ReadonlyMap<string, number> {
  const known = PLACES.get(fields) ?? new Map(fields.map(({ name }, i) => [name, i]));
  PLACES.set(fields, known);
  return known;
}

/** The fields that an object states, in the order of their declaration. */
function statedFields(type: AnyClass, raw: object): FieldSpec[] {
  const fields = fieldsOf(type);
  const places = placesOf(fields);
  return Object.keys(raw)
    .flatMap((name) => places.get(name) ?? [])
    .sort((a, b) => a - b)
    .flatMap((place) => fields[place] ?? []);
}

/** The faults of an object of one of several kinds. */
function variantFaults(variants: Variants, raw: unknown, pointer: string): Fault[] {
  if (!isPlainObject(raw)) return [{ pointer, code: 'wrong_type', detail: 'must be a JSON object' }];
  const { type, ...fields } = raw;
  const kinds = Object.keys(variants);
  const variant = typeof type === 'string' && Object.hasOwn(variants, type) ? variants[type] : undefined;
  if (!variant) {
    const near = typeof type === 'string' ? nearestName(type, kinds) : undefined;
    const code = type === undefined ? 'required' : 'not_allowed';
    const detail = `${type === undefined ? 'is missing: it ' : ''}must be one of ${kinds.join(', ')}`;
    return [
      {
        pointer: `${pointer}/type`,
        code,
        detail: near === undefined ? detail : `${detail}; did you mean ${near}?`,
      },
    ];
  }
  const missing = variant.required.filter((name) => fields[name] === undefined);
  return [
    ...missing.map((name) => ({ pointer: `${pointer}/${name}`, code: 'required', detail: 'is missing' })),
    ...faultsOf(variant.fields, fields, pointer),
  ];
}

const SINGLES = new WeakMap<AnyClass, Map<string, AnyClass>>();

/**
 * Validates one field alone: class-validator goes through every rule of a class for every object, and the options of a
 * capture have hundreds of rules, while a caller states a few options.
 */
function faultOf(type: AnyClass, spec: FieldSpec, value: unknown): ValidationError[] {
  const singles = SINGLES.get(type) ?? new Map<string, AnyClass>();
  SINGLES.set(type, singles);
  const one = singles.get(spec.name) ?? single(type, spec);
  singles.set(spec.name, one);
  return validateSync(instantiate(one, { [spec.name]: value }), {
    forbidUnknownValues: false,
    skipMissingProperties: false,
  });
}

const RULE_ORDER = [
  'wrong_type',
  'too_many',
  'wrong_length',
  'out_of_range',
  'not_allowed',
  'invalid_characters',
  'invalid_value',
];

function toFault(error: ValidationError, pointer: string): Fault {
  const faults = Object.entries(error.constraints ?? {}).map(([name, detail]) => ({
    code: (error.contexts?.[name] as { code?: string } | undefined)?.code ?? 'invalid_value',
    detail,
  }));
  const [first = { code: 'invalid_value', detail: 'is not valid' }] = faults.sort(
    (a, b) => RULE_ORDER.indexOf(a.code) - RULE_ORDER.indexOf(b.code),
  );
  return { pointer: `${pointer}/${error.property}`, ...first };
}

function unknownFields(type: AnyClass, raw: object, pointer: string): Fault[] {
  const fields = fieldsOf(type);
  const places = placesOf(fields);
  return Object.keys(raw)
    .filter((key) => !places.has(key))
    .map((key, i) => {
      const near = i < MAX_SUGGESTIONS ? nearestField(key, fields) : undefined;
      const detail = `is not a known field${near === undefined ? '' : `; did you mean ${near}?`}`;
      return { pointer: `${pointer}/${escapePointer(key)}`, code: 'unknown_field', detail };
    });
}

/** For each object: every suggestion compares a name with all known ones, and a batch may have millions of unknown names. */
const MAX_SUGGESTIONS = 5;

/** RFC 6901. The name is cut, so that a hostile one is not echoed whole. */
function escapePointer(key: string): string {
  return key.slice(0, 100).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}

function nearestField(name: string, fields: readonly FieldSpec[]): string | undefined {
  const plain = name.replaceAll(/(?<=[a-z])(?=[A-Z])|[\s-]/g, '_').toLowerCase();
  const meant =
    name.length > MAX_NAME_LENGTH ? undefined : fields.find((field) => field.alsoCalled?.includes(plain));
  return (
    meant?.name ??
    nearestName(
      name,
      fields.map((field) => field.name),
    )
  );
}

/** A longer name is no slip of the keyboard, and costs more to compare. */
const MAX_NAME_LENGTH = 60;

/** The known name that a misspelt one most likely means; undefined when none is near. A name of megabytes costs nothing. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  // Up to a third of the name may be wrong.
  const maxDistance = Math.floor(name.length / 3) + (name.length > 3 ? 1 : 0);
  const [best] = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= maxDistance)
    .map((candidate) => ({ candidate, distance: leven(name.toLowerCase(), candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= maxDistance ? best.candidate : undefined;
}

/**
 * Validates a value and makes an instance of the class, with defaults.
 *
 * @throws AppError `invalid_request` with every fault
 */
export function parse<T extends object>(type: new () => T, raw: unknown): T {
  const errors = faultsOf(type, raw);
  if (errors.length > 0) throw invalidRequest(errors);
  return instantiate(type, raw as object);
}

/**
 * Makes an instance of values that are known to be valid, such as a stored row, with defaults. The items of a list are made
 * instances of their class.
 */
export function instantiate<T extends object>(type: new () => T, values: object): T {
  const stated = Object.fromEntries<unknown>(
    Object.entries(values).filter(([, value]) => value !== undefined),
  );
  for (const { name, items, variants } of statedFields(type, stated)) {
    const list = stated[name];
    if (!Array.isArray(list)) continue;
    if (items) stated[name] = list.map((item) => itemOf(items, item));
    if (variants) stated[name] = list.map((item) => variantOf(variants, item));
  }
  return Object.assign(new type(), stated);
}

/** What is no object is left to the rules, which refuse it. */
function itemOf(type: AnyClass, item: unknown): unknown {
  return isPlainObject(item) ? instantiate(type, item) : item;
}

function variantOf(variants: Variants, item: unknown): unknown {
  if (!isPlainObject(item) || typeof item.type !== 'string') return item;
  const fields = Object.hasOwn(variants, item.type) ? variants[item.type]?.fields : undefined;
  return fields ? instantiate(fields, item) : item;
}

/** The `invalid_request` error of these faults; its `detail` is a sentence about the first of them. */
export function invalidRequest(errors: readonly Fault[]): AppError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const name = first?.pointer.replace(/^\//, '') ?? '';
  return new AppError('invalid_request', {
    detail: first && `${name === '' ? 'The body' : name} ${first.detail}${more}`,
    errors,
  });
}
