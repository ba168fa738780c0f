import {
  commonPatterns,
  compose,
  faultsOf,
  fieldsOf,
  instantiate,
  invalidRequest,
  isPlainObject,
  type AnyClass,
  type Fault,
} from '@app/kernel';
import { NO_DEFAULTS, type DefaultOptions, type Watch } from './default-options.js';
import { CaptureOptions } from './capture-options.js';
import { RESULT } from './outputs.js';
import { canonicalUrl } from '../options/target.js';
import { isSliced } from '../options/slicing.js';
import { ViewportOptions } from '../options/viewport.js';
import { fieldOf, shapeFaults } from './option-faults.js';
import type { Format } from '../formats/index.js';
import {
  explained,
  filesOfOutput,
  outputFaults,
  outputFiles,
  resolveOutputs,
  withoutOverridden,
  type OutputFiles,
  type ResolvedOutput,
} from './resolved-outputs.js';

type Given = Readonly<Record<string, unknown>>;

/** What options are made of: those of a caller and the defaults below them, free of faults. */
export interface OptionSource {
  /** What the caller sent; null for options that a row unset. */
  readonly given: Given;
  /** The defaults of the operator that apply. */
  readonly defaults: Given;
}

const sources = new WeakMap<CaptureOptions, OptionSource>();

/**
 * Parses the options of a caller and fills in the defaults.
 *
 * @param operator the defaults of the operator, below what the caller sent
 * @throws AppError `invalid_request` with every fault
 */
export function parseOptions(raw: unknown, operator: DefaultOptions = NO_DEFAULTS): CaptureOptions {
  return complete(checked(raw, { operator }));
}

/**
 * Parses the options of a row, over the defaults of its batch, which must have no `optionFaults`. An option that is `null` is
 * unset: neither the row nor the defaults set it. A single capture has no defaults to unset, so `parseOptions` refuses `null`.
 *
 * @param operator the defaults of the operator, below those of the batch
 * @throws AppError `invalid_request` with every fault
 */
export function parseOptionsOver(
  defaults: Given,
  raw: unknown,
  operator: DefaultOptions = NO_DEFAULTS,
): CaptureOptions {
  return complete(checkOptionsOver(raw, { defaults, operator }));
}

/** What `parseOptionsOver` makes the options of, without making them. */
export function checkOptionsOver(raw: unknown, { defaults = {}, ...context }: CheckContext): OptionSource {
  const unset = unsetOptions(raw);
  if (unset.length === 0) return checked(raw, { ...context, defaults });
  return checked(optionsWithout(raw as Given, unset), {
    ...context,
    defaults: optionsWithout(defaults, unset),
    unset,
  });
}

/** What options are checked with. */
interface CheckContext {
  /** The defaults of the batch. */
  readonly defaults?: Given;
  readonly operator: DefaultOptions;
  /** Notices when the outcome depends on the values of some options. */
  readonly watch?: Watch;
}

function checked(
  raw: unknown,
  { unset = [], ...context }: CheckContext & { readonly unset?: readonly string[] },
): OptionSource {
  const { given, applied } = validated(CaptureOptions, raw, { ...context, unset });
  // Unset options are stored, so that a retry of the row over other defaults unsets them, too.
  const nulls = Object.fromEntries(unset.map((name) => [name, null]));
  return { given: { ...given, ...nulls }, defaults: applied };
}

/** The names of options that are null; none when the shape of the value is invalid. */
function unsetOptions(raw: unknown): string[] {
  if (!isPlainObject(raw)) return [];
  const names = Object.keys(raw).filter((name) => raw[name] === null && OPTION_NAMES.has(name));
  return names.length > 0 && shapeFaults(raw).length === 0 ? names : [];
}

function optionsWithout(given: Given, names: readonly string[]): Given {
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
export function parserWith<T extends object>(
  type: AnyClass<T>,
): (raw: unknown, operator?: DefaultOptions) => ParsedWith<T> {
  const whole = compose(`${type.name}WithOptions`, [CaptureOptions as AnyClass, type as AnyClass]);
  const extraNames = new Set(fieldsOf(type).map(({ name }) => name));
  return (raw, operator = NO_DEFAULTS) => {
    const { given, applied } = validated(whole, raw, { operator });
    const [own, others] = split(given, extraNames);
    const options = complete({ given: others, defaults: applied });
    return { options, extra: instantiate(type, own), given };
  };
}

interface Validated {
  /** What the caller sent, over the defaults of the batch. */
  readonly given: Given;
  /** The defaults of the operator that apply. */
  readonly applied: Given;
}

/** Checks every rule. */
function validated(
  type: AnyClass,
  raw: unknown,
  { defaults = {}, unset = [], operator, watch }: CheckContext & { readonly unset?: readonly string[] },
): Validated {
  const shape = shapeFaults(raw);
  // A value of invalid shape must not be copied.
  if (shape.length > 0) throw invalidRequest(shape);
  const faults = faultsOf(type, raw).map((fault) => explained(fault, OPTION_NAMES));
  const given = { ...defaults, ...(faults.length > 0 ? validPart(raw, faults) : (raw as Given)) };
  const below = operator.applyBelow(given, { unset, faults, watch });
  faults.push(...withoutOverridden(below.faults, given));
  // Rules over several options of an output are checked only once each option is valid by itself.
  if (faults.length === 0) faults.push(...outputFaults(given, below.applied));
  if (faults.length > 0) throw invalidRequest(faults);
  return { given, applied: below.applied };
}

function split(given: Given, names: ReadonlySet<string>): [Given, Given] {
  const part = (isOwn: boolean): Given =>
    Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name) === isOwn));
  return [part(true), part(false)];
}

/** The options as the caller sent them; null for those that a row unset. */
export function givenOptions(options: CaptureOptions): Given {
  return sources.get(options)?.given ?? { ...options };
}

/** The options to store: those of the caller and, below them, the defaults of the operator, which are named. */
export function storedOptions(options: CaptureOptions): { stored: Given; defaultNames: readonly string[] } {
  const { given, defaults } = sources.get(options) ?? { given: { ...options }, defaults: {} };
  return { stored: { ...defaults, ...given }, defaultNames: Object.keys(defaults) };
}

/** The files that a capture makes, in order, and the options for each. */
export function outputsOf(options: CaptureOptions): readonly [ResolvedOutput, ...ResolvedOutput[]] {
  const single = { name: RESULT, options };
  if (options.outputs.length === 0) return [single];
  const [first = single, ...others] = resolveOutputs(statedIn(options));
  return [first, ...others];
}

/** The formats of the outputs of a capture, in order. It is cheaper than `outputsOf`. */
export function formatsOfOutputs(options: CaptureOptions): readonly [Format, ...Format[]] {
  const [first, ...others] = filesOfOutputs(options);
  return [first.format, ...others.map(({ format }) => format)];
}

/** The files that the outputs of a capture make, in order, of which slices are several. */
export function filesOfOutputs(options: CaptureOptions): readonly [OutputFiles, ...OutputFiles[]] {
  const single = filesOfOutput(options);
  if (options.outputs.length === 0) return [single];
  const [first = single, ...others] = outputFiles(statedIn(options));
  return [first, ...others];
}

/** Whether a capture with these options may make several files, so that no single one is its answer. */
export function hasSeveralFiles(given: Given): boolean {
  const outputs = Array.isArray(given.outputs) ? given.outputs.filter(isPlainObject) : [];
  return outputs.length > 1 || [given, ...outputs].some(isSliced);
}

/** What the caller and the operator state. */
function statedIn(options: CaptureOptions): Given {
  const { given, defaults } = sources.get(options) ?? { given: { ...options }, defaults: {} };
  return { ...defaults, ...optionsWithout(given, unsetOptions(given)) };
}

const VIEWPORT = fieldsOf(ViewportOptions).map(({ name }) => name);

/** The window in which the page is visited: that of the capture, or of its first output when the capture states none. */
export function visitWindowOf(
  options: CaptureOptions,
  [first]: ReturnType<typeof outputsOf>,
): Partial<CaptureOptions> {
  const stated = statedIn(options);
  const isStated = VIEWPORT.some((name) => stated[name] !== undefined);
  return windowIn(isStated ? options : first.options);
}

/** The options of the window alone. */
export function windowIn(options: CaptureOptions): Partial<CaptureOptions> {
  return Object.fromEntries(VIEWPORT.map((name) => [name, options[name as keyof CaptureOptions]]));
}

/** The options of a stored job. They were validated when it was accepted, so only defaults are added. */
export function restoreOptions(open: Given, secrets: Given | null): CaptureOptions {
  return complete({ given: { ...open, ...secrets }, defaults: {} });
}

const generations = new WeakMap<CaptureOptions, number>();

/** Replaces the name of the session by its id, and remembers its generation for the key of the cache. */
export function bindSession(
  options: CaptureOptions,
  { id, generation }: { readonly id: string; readonly generation: number },
): void {
  const { given, defaults } = sources.get(options) ?? { given: { ...options }, defaults: {} };
  options.session = id;
  sources.set(options, { given: { ...given, session: id }, defaults });
  generations.set(options, generation);
}

/** Holds the page to hosts of these patterns, besides those that the options name. */
export function holdToHosts(options: CaptureOptions, patterns: readonly string[]): void {
  const { given, defaults } = sources.get(options) ?? { given: { ...options }, defaults: {} };
  const own = options.allowed_hosts;
  options.allowed_hosts = own.length === 0 ? [...patterns] : commonPatterns(own, patterns);
  sources.set(options, { given: { ...given, allowed_hosts: options.allowed_hosts }, defaults });
}

/** The generation of the session that the options were bound to; null without a session. */
export function generationOf(options: CaptureOptions): number | null {
  return generations.get(options) ?? null;
}

/** The options of a source, with all defaults. */
export function complete(source: OptionSource): CaptureOptions {
  const { given, defaults } = source;
  const options = instantiate(CaptureOptions, { ...defaults, ...optionsWithout(given, unsetOptions(given)) });
  if (options.url !== undefined) options.url = canonicalUrl(options.url);
  sources.set(options, source);
  return options;
}

/** The fields without a fault of their own, on which rules over several fields can still be checked. */
function validPart(raw: unknown, faults: readonly Fault[]): Given {
  if (typeof raw !== 'object' || raw === null) return {};
  const faulty = new Set(faults.map(fieldOf));
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !faulty.has(name)));
}
