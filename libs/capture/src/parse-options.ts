import {
  compose,
  faultsOf,
  fieldsOf,
  instantiate,
  invalidRequest,
  isPlainObject,
  type AnyClass,
  type Fault,
} from '@app/kernel';
import { CaptureOptions } from './options/index.js';
import { canonicalUrl } from './options/target.js';
import { fieldOf, ruleFaults, shapeFaults, type ParsedOptions } from './option-faults.js';

type Given = Readonly<Record<string, unknown>>;

/** The options as the caller sent them, without defaults: only these are stored. */
const givenBy = new WeakMap<CaptureOptions, Given>();

/**
 * Parses the options of a caller and fills in the defaults.
 *
 * @throws AppError `invalid_request` with every fault
 */
export function parseOptions(raw: unknown): CaptureOptions {
  return parseOver({}, raw);
}

/**
 * Parses the options of a row, over the defaults of its batch, which must have no `optionFaults`. An option that is `null` is
 * unset: neither the row nor the defaults set it. A single capture has no defaults to unset, so `parseOptions` refuses `null`.
 *
 * @throws AppError `invalid_request` with every fault
 */
export function parseOptionsOver(defaults: Given, raw: unknown): CaptureOptions {
  const unset = unsetOptions(raw);
  if (unset.length === 0) return parseOver(defaults, raw);
  return parseOver(without(defaults, unset), without(raw as Given, unset), unset);
}

function parseOver(defaults: Given, raw: unknown, unset: readonly string[] = []): CaptureOptions {
  const { given, options } = validated(CaptureOptions, raw, defaults);
  // Unset options are stored, so that a retry of the row over other defaults unsets them, too.
  return canonical(options, { ...given, ...Object.fromEntries(unset.map((name) => [name, null])) });
}

/** The names of options that are null; none when the shape of the value is invalid. */
function unsetOptions(raw: unknown): string[] {
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
 * The faults of each option by itself. Rules over several options apply to a whole capture only.
 *
 * @param pointer to the options in the request
 */
export function optionFaults(raw: unknown, pointer: string): Fault[] {
  const shape = shapeFaults(raw, pointer);
  return shape.length > 0 ? shape : faultsOf(CaptureOptions, raw, pointer);
}

/** The result of a parser of `parserWith`. */
export interface ParsedWith<T> {
  readonly options: CaptureOptions;
  readonly extra: T;
  /** All fields that the caller sent. */
  readonly given: Given;
}

/** A parser like `parseOptions` for a body that has the fields of another class besides the options. */
export function parserWith<T extends object>(type: AnyClass<T>): (raw: unknown) => ParsedWith<T> {
  const whole = compose(`${type.name}WithOptions`, [CaptureOptions as AnyClass, type as AnyClass]);
  const extraNames = new Set(fieldsOf(type).map(({ name }) => name));
  return (raw) => {
    const { given } = validated(whole, raw, {});
    const [own, others] = split(given, extraNames);
    return { options: complete(others), extra: instantiate(type, own), given };
  };
}

/** Checks every rule. Returns what the caller sent, over the defaults. */
function validated(type: AnyClass, raw: unknown, defaults: Given): ParsedOptions {
  const shape = shapeFaults(raw);
  // A value of invalid shape must not be copied.
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

/** The options as the caller sent them; null for those that a row unset. */
export function givenOptions(options: CaptureOptions): Given {
  return givenBy.get(options) ?? { ...options };
}

/** The options of a stored job. They were validated when it was accepted, so only defaults are added. */
export function restoreOptions(open: Given, secrets: Given | null): CaptureOptions {
  return complete({ ...open, ...secrets });
}

function complete(given: Given): CaptureOptions {
  return canonical(instantiate(CaptureOptions, without(given, unsetOptions(given))), given);
}

function canonical(options: CaptureOptions, given: Given): CaptureOptions {
  if (options.url !== undefined) options.url = canonicalUrl(options.url);
  givenBy.set(options, given);
  return options;
}

/** The fields without a fault of their own, on which rules over several fields can still be checked. */
function validPart(raw: unknown, faults: readonly Fault[]): Given {
  if (typeof raw !== 'object' || raw === null) return {};
  const faulty = new Set(faults.map(fieldOf));
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !faulty.has(name)));
}
