import {
  deferredFaults,
  FORMAT_NAMES,
  formatsAsked,
  formatsOfOutputs,
  optionFaults,
  parseOptionsOver,
  type CaptureOptions,
  type DefaultOptions,
  type Format,
} from '@app/capture';
import { AppError, type Fault } from '@app/kernel';
import type { EgressGuard } from '@app/outbound';
import { MAX_ROW_FAULTS } from '../limits.js';

/** Options by name, as a caller wrote them; not validated. */
export type RawOptions = Readonly<Record<string, unknown>>;

/** A row of a batch after validation, whatever it was parsed from; `row` counts from 1. */
export type CheckedRow = GoodRow | BadRow;

export interface GoodRow {
  readonly row: number;
  readonly options: CaptureOptions;
  readonly place?: RowPlace;
}

export interface BadRow {
  readonly row: number;
  /** Each names its `row`, and its `column` if it concerns one. */
  readonly faults: readonly Fault[];
  /** For the record of the row; present if valid by themselves. */
  readonly url?: string;
  readonly reference?: string;
  /** The format of its first file. */
  readonly format?: Format;
}

/** A row that turned out to have a fault which is not about its options alone. */
export function refused({ row, options, place = { row } }: GoodRow, fault: Fault): BadRow {
  const { url, reference } = options;
  return {
    row,
    faults: [placed(fault, place)],
    format: formatsOfOutputs(options)[0],
    ...(url !== undefined && { url }),
    ...(reference !== undefined && { reference }),
  };
}

export function isBad(row: CheckedRow): row is BadRow {
  return 'faults' in row;
}

/** Holds valid options to what their sender may do. Returns faults, with pointers as `parseOptions` gives them. */
export type SenderFaults = (options: CaptureOptions) => readonly Fault[];

/** What the rows of a batch must satisfy besides the rules of their options. */
export interface RowRules {
  /** The defaults of the operator, below those of the batch. */
  readonly operator?: DefaultOptions;
  readonly senderFaults?: SenderFaults;
}

/** How the rows of one batch are read. */
export interface ReadOptions {
  readonly checker: RowChecker;
  readonly defaults: RawOptions;
  /** Called with what each row says, valid or not, so that a fingerprint of the request can be computed. */
  readonly onRow?: (raw: unknown) => void;
}

/** The position of a row in the body. */
export interface RowPlace {
  readonly row: number;
  /** JSON Pointer to the item. A CSV has none; its faults point to columns. */
  readonly item?: string;
  /** Line of the CSV. */
  readonly line?: number;
}

/** Validates the rows of one batch, whatever they were parsed from. */
export class RowChecker {
  /**
   * @param defaults of the batch, free of faults, as `defaultFaults` finds them
   */
  constructor(
    private readonly guard: EgressGuard,
    private readonly defaults: RawOptions,
    private readonly rules: RowRules = {},
  ) {}

  /**
   * @param raw what the row says
   * @param parseFaults faults that the parser found, with pointers as `parseOptions` gives them; the values that they
   * concern are missing in `raw`
   */
  check(place: RowPlace, raw: unknown, parseFaults: readonly Fault[] = []): CheckedRow {
    const parsed = this.parse(raw);
    const found = parsed instanceof AppError ? (parsed.facts.errors ?? []) : this.faultsOf(parsed, raw);
    const unparsed = new Set(parseFaults.map(({ pointer }) => pointer));
    // A value that could not be parsed is not reported as missing as well.
    const faults = [...parseFaults, ...found.filter(({ pointer }) => !unparsed.has(pointer))];
    if (faults.length === 0 && !(parsed instanceof AppError))
      return { row: place.row, options: parsed, place };
    return {
      row: place.row,
      faults: faults.slice(0, MAX_ROW_FAULTS).map((fault) => placed(fault, place)),
      ...this.identify(raw, unparsed),
    };
  }

  private faultsOf(parsed: CaptureOptions, raw: unknown): Fault[] {
    return [
      ...deferredFaults(raw as RawOptions, ''),
      ...targetFaults(this.guard, parsed),
      ...(this.rules.senderFaults?.(parsed) ?? []),
    ];
  }

  private parse(raw: unknown): CaptureOptions | AppError {
    try {
      return parseOptionsOver(this.defaults, raw, this.rules.operator);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  private identify(raw: unknown, unparsed: ReadonlySet<string>): Partial<BadRow> {
    const row = typeof raw === 'object' && raw !== null ? (raw as RawOptions) : {};
    const stated: RawOptions = { ...this.rules.operator?.toJSON(), ...this.defaults, ...row };
    const { url, reference } = stated;
    const format = FORMAT_NAMES.find((name) => name === formatsAsked(stated)[0]);
    const isValid = (name: string, value: unknown): value is string =>
      typeof value === 'string' &&
      !unparsed.has(`/${name}`) &&
      optionFaults({ [name]: value }, '').length === 0;
    return {
      ...(isValid('url', url) && { url: new URL(url).href }),
      ...(isValid('reference', reference) && { reference }),
      ...(format !== undefined && { format }),
    };
  }
}

/**
 * The faults of options that apply to every row which does not set them itself.
 *
 * @param pointer to the defaults in the request
 */
export function defaultFaults(guard: EgressGuard, defaults: unknown, pointer: string): Fault[] {
  const faults = optionFaults(defaults, pointer);
  if (faults.length > 0) return faults;
  return [
    ...deferredFaults(defaults as RawOptions, pointer),
    ...targetFaults(guard, defaults as Partial<CaptureOptions>).map((fault) => ({
      ...fault,
      pointer: `${pointer}${fault.pointer}`,
    })),
  ];
}

/** The targets that the guard refuses without resolving their names. */
function targetFaults(guard: EgressGuard, options: Partial<CaptureOptions>): Fault[] {
  return (['url', 'base_url'] as const).flatMap((name) => {
    const target = options[name];
    const fault = target === undefined ? undefined : guard.addressFault(new URL(target));
    return fault ? [{ pointer: `/${name}`, ...fault }] : [];
  });
}

function placed({ pointer, code, detail }: Fault, { row, item, line }: RowPlace): Fault {
  const [, column = ''] = pointer.split('/');
  return {
    pointer: item === undefined ? pointer.slice(1) : `${item}${pointer}`,
    row,
    ...(column !== '' && { column }),
    ...(line !== undefined && { line }),
    code,
    detail,
  };
}
