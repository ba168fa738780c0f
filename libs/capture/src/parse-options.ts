import {
  compose,
  faultsOf,
  fieldsOf,
  instantiate,
  invalidRequest,
  isPlainObject,
  type AnyClass,
  type Fault,
  type FieldSpec,
} from '@app/kernel';
import { formatsOf } from './formats/index.js';
import { CaptureOptions, FAMILIES } from './options/index.js';
import { canonicalUrl } from './options/target.js';
import { shapeFaults } from './shape-rule.js';

type Given = Readonly<Record<string, unknown>>;

/** What the caller wrote, which the defaults of an instance hide: needed to store no more than that. */
const givenBy = new WeakMap<CaptureOptions, Given>();

/**
 * The options of a request or whatever else a caller wrote, defaults filled in.
 *
 * @throws AppError `invalid_request` with every fault
 */
export function parseOptions(raw: unknown): CaptureOptions {
  return over({}, raw);
}

/**
 * The options of one of many captures, read like `parseOptions`; what it does not say is as `defaults` say, which have no
 * `optionFaults`. An option that is `null` is lifted: neither the row nor the defaults give it. A capture by itself has
 * nothing to lift, so there `null` is refused like any other wrong type.
 *
 * @throws AppError `invalid_request` with every fault
 */
export function parseOptionsOver(defaults: Given, raw: unknown): CaptureOptions {
  const lifted = liftedOptions(raw);
  if (lifted.length === 0) return over(defaults, raw);
  return over(without(defaults, lifted), without(raw as Given, lifted), lifted);
}

function over(defaults: Given, raw: unknown, lifted: readonly string[] = []): CaptureOptions {
  const { given, options } = validated(CaptureOptions, raw, defaults);
  // Stored with the others: who tries the row again over other defaults finds it lifted there, too.
  return canonical(options, { ...given, ...Object.fromEntries(lifted.map((name) => [name, null])) });
}

/** The options that are null; none of what has a shape that must not be copied. */
function liftedOptions(raw: unknown): string[] {
  if (!isPlainObject(raw)) return [];
  const names = Object.keys(raw).filter((name) => raw[name] === null && OPTION_NAMES.has(name));
  return names.length > 0 && shapeFaults(raw).length === 0 ? names : [];
}

function without(given: Given, names: readonly string[]): Given {
  if (names.length === 0) return given;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}

const OPTION_NAMES = new Set(fieldsOf(CaptureOptions).map(({ name }) => name));

/**
 * What is wrong with options, each looked at by itself: the rules over several hold for a whole capture only.
 *
 * @param pointer to where they stand in the request
 */
export function optionFaults(raw: unknown, pointer: string): Fault[] {
  const shape = shapeFaults(raw, pointer);
  return shape.length > 0 ? shape : faultsOf(CaptureOptions, raw, pointer);
}

/** What `parserBeside` reads. */
export interface Beside<T> {
  readonly options: CaptureOptions;
  readonly beside: T;
  /** All that the caller wrote, of both. */
  readonly given: Given;
}

/** A reader like `parseOptions`, of options that have the fields of another class beside them. */
export function parserWith<T extends object>(type: AnyClass<T>): (raw: unknown) => Beside<T> {
  const whole = compose(`${type.name}BesideOptions`, [CaptureOptions as AnyClass, type as AnyClass]);
  const besides = new Set(fieldsOf(type).map(({ name }) => name));
  return (raw) => {
    const { given } = validated(whole, raw, {});
    const [own, others] = split(given, besides);
    return { options: complete(others), beside: instantiate(type, own), given };
  };
}

interface Validated {
  readonly given: Given;
  readonly options: CaptureOptions;
}

/** What the caller wrote, or left to `defaults`, after it was held against every rule. */
function validated(type: AnyClass, raw: unknown, defaults: Given): Validated {
  const shape = shapeFaults(raw);
  // Not to be copied.
  if (shape.length > 0) throw invalidRequest(shape);
  const faults = faultsOf(type, raw);
  const given = { ...defaults, ...(faults.length > 0 ? validPart(raw, faults) : (raw as Given)) };
  const options = instantiate(CaptureOptions, given);
  faults.push(...ruleFaults({ given, options }, faults));
  if (faults.length > 0) throw invalidRequest(faults);
  return { given, options };
}

function split(given: Given, names: ReadonlySet<string>): [Given, Given] {
  const part = (isOwn: boolean): Given =>
    Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name) === isOwn));
  return [part(true), part(false)];
}

/** What the caller wrote of these options; null is what a row has lifted. */
export function givenOptions(options: CaptureOptions): Given {
  return givenBy.get(options) ?? { ...options };
}

/** The options of a stored job: valid when it was accepted, so they are only completed. */
export function restoreOptions(open: Given, secrets: Given | null): CaptureOptions {
  return complete({ ...open, ...secrets });
}

function complete(given: Given): CaptureOptions {
  return canonical(instantiate(CaptureOptions, without(given, liftedOptions(given))), given);
}

function canonical(options: CaptureOptions, given: Given): CaptureOptions {
  if (options.url !== undefined) options.url = canonicalUrl(options.url);
  givenBy.set(options, given);
  return options;
}

/** The fields without a fault of their own: on these the rules over several fields can still be told. */
function validPart(raw: unknown, faults: readonly Fault[]): Given {
  if (typeof raw !== 'object' || raw === null) return {};
  const faulty = new Set(faults.map(fieldOf));
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !faulty.has(name)));
}

function fieldOf({ pointer }: Fault): string {
  return pointer.split('/')[1] ?? '';
}

/** The rules over several fields, of each family whose own fields are all right: half a family tells nothing true. */
function ruleFaults({ given, options }: Validated, faults: readonly Fault[]): Fault[] {
  const faulty = new Set(faults.map(fieldOf));
  if (faulty.has('')) return [];
  const names = new Set(Object.keys(given));
  const isFaulty = ({ name }: FieldSpec): boolean => faulty.has(name);
  return [
    ...(faulty.has('format') ? [] : formatFaults(options, names)),
    ...FAMILIES.filter(({ type }) => faulty.size === 0 || !fieldsOf(type).some(isFaulty)).flatMap(
      ({ check }) => check?.(options, names) ?? [],
    ),
  ];
}

/** An option that has no meaning for the format is refused: if it were ignored, it would seem to work. */
function formatFaults({ format }: CaptureOptions, given: ReadonlySet<string>): Fault[] {
  return fieldsOf(CaptureOptions).flatMap(({ name }) => {
    const formats = given.has(name) ? formatsOf(name) : undefined;
    if (!formats || formats.includes(format)) return [];
    const detail = `has no meaning for format ${format}, only for ${formats.join(', ')}`;
    return [{ pointer: `/${name}`, code: 'not_for_format', detail }];
  });
}
