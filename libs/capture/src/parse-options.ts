import { faultsOf, fieldsOf, instantiate, invalidRequest, type Fault } from '@app/kernel';
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
  const shape = shapeFaults(raw);
  const faults = shape.length > 0 ? shape : faultsOf(CaptureOptions, raw);
  const given = faults.length > 0 ? validPart(raw, faults) : (raw as Given);
  if (shape.length === 0) faults.push(...ruleFaults(given, faults));
  if (faults.length > 0) throw invalidRequest(faults);
  return complete(given);
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
