import {
  compose,
  faultsOf,
  fieldsOf,
  instantiate,
  invalidRequest,
  type AnyClass,
  type Fault,
} from '@app/kernel';
import { CaptureOptions, FAMILIES } from './options/index.js';
import { canonicalUrl } from './options/target.js';
import { shapeFaults } from './shape-rule.js';

type Given = Readonly<Record<string, unknown>>;

/** What the caller wrote, which the defaults of an instance hide: needed to store no more than that. */
const givenBy = new WeakMap<CaptureOptions, Given>();

/**
 * The options of a request, a row of a batch or whatever else a caller wrote, defaults filled in.
 *
 * @throws AppError `invalid_request` with every fault
 */
export function parseOptions(raw: unknown): CaptureOptions {
  return complete(validated(CaptureOptions, raw));
}

/** What `parserBeside` reads. */
export interface Beside<T> {
  readonly options: CaptureOptions;
  readonly beside: T;
  /** All that the caller wrote, of both. */
  readonly given: Given;
}

/** A reader like `parseOptions`, of options that have the fields of another class beside them. */
export function parserBeside<T extends object>(type: AnyClass<T>): (raw: unknown) => Beside<T> {
  const whole = compose(`${type.name}BesideOptions`, [CaptureOptions as AnyClass, type as AnyClass]);
  const besides = new Set(fieldsOf(type).map(({ name }) => name));
  return (raw) => {
    const given = validated(whole, raw);
    const [own, others] = split(given, besides);
    return { options: complete(others), beside: instantiate(type, own), given };
  };
}

/** What the caller wrote, after it was held against every rule. */
function validated(type: AnyClass, raw: unknown): Given {
  const shape = shapeFaults(raw);
  const faults = shape.length > 0 ? shape : faultsOf(type, raw);
  const given = faults.length > 0 ? validPart(raw, faults) : (raw as Given);
  if (shape.length === 0) faults.push(...ruleFaults(given, faults));
  if (faults.length > 0) throw invalidRequest(faults);
  return given;
}

function split(given: Given, names: ReadonlySet<string>): [Given, Given] {
  const part = (isOwn: boolean): Given =>
    Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name) === isOwn));
  return [part(true), part(false)];
}

/** What the caller wrote of these options. */
export function givenOptions(options: CaptureOptions): Given {
  return givenBy.get(options) ?? { ...options };
}

/** The options of a stored job: valid when it was accepted, so they are only completed. */
export function restoreOptions(open: Given, secrets: Given | null): CaptureOptions {
  return complete({ ...open, ...secrets });
}

function complete(given: Given): CaptureOptions {
  const options = instantiate(CaptureOptions, given);
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
function ruleFaults(given: Given, faults: readonly Fault[]): Fault[] {
  const faulty = new Set(faults.map(fieldOf));
  if (faulty.has('')) return [];
  const options = instantiate(CaptureOptions, given);
  const names = new Set(Object.keys(given));
  return [
    ...(faulty.has('format') ? [] : formatFaults(options, names)),
    ...FAMILIES.filter(({ type }) => !fieldsOf(type).some(({ name }) => faulty.has(name))).flatMap(
      ({ check }) => check?.(options, names) ?? [],
    ),
  ];
}

/** An option without a meaning for the chosen format is refused: ignored, it would look as if it worked. */
function formatFaults({ format }: CaptureOptions, given: ReadonlySet<string>): Fault[] {
  return fieldsOf(CaptureOptions).flatMap(({ name, formats }) =>
    given.has(name) && formats !== undefined && !formats.includes(format)
      ? [
          {
            pointer: `/${name}`,
            code: 'not_for_format',
            detail: `has no meaning for format ${format}, only for ${formats.join(', ')}`,
          },
        ]
      : [],
  );
}
