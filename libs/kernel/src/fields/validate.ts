import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import leven from 'leven';
import { AppError, type Fault } from '../errors/app-error.js';
import { single } from './compose.js';
import { fieldsOf, isPlainObject, type AnyClass, type FieldSpec } from './field-spec.js';

/** The faults of a plain value held against a class; none means `instantiate` may take it. */
export function faultsOf(type: AnyClass, raw: unknown, pointer = ''): Fault[] {
  if (!isPlainObject(raw)) return [{ pointer, code: 'wrong_type', detail: 'must be a JSON object' }];
  const unknown = unknownFields(type, raw, pointer);
  const nested = fieldsOf(type).flatMap(({ name, items }) => {
    const list = raw[name];
    if (!items || !Array.isArray(list)) return [];
    return list.flatMap((item, i) => faultsOf(items, item, `${pointer}/${name}/${i}`));
  });
  const own = fieldsOf(type)
    .filter(({ name }) => Object.hasOwn(raw, name))
    // Nested lists were checked above, where the pointer is known; unknown fields too.
    .filter(({ name, items }) => !items || !nested.some((f) => f.pointer.startsWith(`${pointer}/${name}/`)))
    .flatMap((spec) => faultOf(type, spec, raw[spec.name]))
    .map((error) => toFault(error, pointer));
  return [...unknown, ...own, ...nested];
}

const SINGLES = new WeakMap<AnyClass, Map<string, AnyClass>>();

/**
 * One field is validated by itself: class-validator goes through every rule of a class for every object, and of
 * the options of a capture there are hundreds, of which a caller states a few.
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
  const names = fieldsOf(type).map((f) => f.name);
  return Object.keys(raw)
    .filter((key) => !names.includes(key))
    .map((key, i) => {
      const near = i < MAX_SUGGESTIONS ? nearest(key, names) : undefined;
      const detail = `is not a known field${near === undefined ? '' : `; did you mean ${near}?`}`;
      return { pointer: `${pointer}/${escapePointer(key)}`, code: 'unknown_field', detail };
    });
}

/** Of one object: each name is held against all known ones, and a batch may have millions that are unknown. */
const MAX_SUGGESTIONS = 5;

/** RFC 6901; cut, so that a hostile name does not come back whole. */
function escapePointer(key: string): string {
  return key.slice(0, 100).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}

function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 60) return undefined;
  // A third of the name may be wrong: of a name of two letters that is nothing.
  const maxDistance = Math.floor(name.length / 3) + (name.length > 3 ? 1 : 0);
  const [best] = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= maxDistance)
    .map((candidate) => ({ candidate, distance: leven(name.toLowerCase(), candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= maxDistance ? best.candidate : undefined;
}

/**
 * A valid instance of the class, defaults filled in.
 *
 * @throws AppError `invalid_request` with every fault.
 */
export function parse<T extends object>(type: new () => T, raw: unknown): T {
  const errors = faultsOf(type, raw);
  if (errors.length > 0) throw invalidRequest(errors);
  return instantiate(type, raw as object);
}

/**
 * An instance of values known to be valid (a stored row): only fills in the defaults.
 *
 * Only the items of a list need class-transformer, which goes through every field of the class: of a batch that would be
 * thousands of times a hundred.
 */
export function instantiate<T extends object>(type: new () => T, values: object): T {
  const hasItems = fieldsOf(type).some(({ name, items }) => items && Object.hasOwn(values, name));
  if (hasItems) return plainToInstance(type, values, { exposeDefaultValues: true });
  const stated = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.assign(new type(), Object.fromEntries(stated));
}

/** The `invalid_request` error of these faults; its `detail` reads as a sentence of the first. */
export function invalidRequest(errors: readonly Fault[]): AppError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const name = first?.pointer.replace(/^\//, '') ?? '';
  return new AppError('invalid_request', {
    detail: first && `${name === '' ? 'The body' : name} ${first.detail}${more}`,
    errors,
  });
}
