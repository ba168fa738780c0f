import {
  completeOptions,
  deferredFaults,
  FORMAT_NAMES,
  formatsAsked,
  formatsOfOutputs,
  optionFaults,
  RowOptions,
  type CaptureOptions,
  type DefaultOptions,
  type Format,
  type OptionSource,
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
  /** Whether it names a capture or a session, which the database has to be asked about. Without it, the options tell. */
  readonly namesAny?: boolean;
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

/** A row whose options are made when they are read: those of a batch that is refused never are. */
class ValidRow implements GoodRow {
  readonly row: number;
  readonly namesAny: boolean;
  private made: CaptureOptions | undefined;

  constructor(
    readonly place: RowPlace,
    private readonly source: OptionSource,
  ) {
    this.row = place.row;
    this.namesAny = ['compare_with', 'session'].some((name) => typeof stated(source, name) === 'string');
  }

  get options(): CaptureOptions {
    return (this.made ??= completeOptions(this.source));
  }
}

function stated({ given, defaults }: OptionSource, name: string): unknown {
  return given[name] ?? (given[name] === null ? undefined : defaults[name]);
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
  private readonly options: RowOptions;

  /**
   * @param defaults of the batch, free of faults, as `defaultFaults` finds them
   */
  constructor(
    private readonly guard: EgressGuard,
    private readonly defaults: RawOptions,
    private readonly rules: RowRules = {},
  ) {
    this.options = new RowOptions(defaults, rules.operator);
  }

  /**
   * @param raw what the row says
   * @param parseFaults faults that the parser found, with pointers as `parseOptions` gives them; the values that they
   * concern are missing in `raw`
   */
  check(place: RowPlace, raw: unknown, parseFaults: readonly Fault[] = []): CheckedRow {
    const source = this.read(raw);
    const row = source instanceof AppError ? undefined : new ValidRow(place, source);
    const found = source instanceof AppError ? (source.facts.errors ?? []) : this.faultsOf(source, raw, row);
    if (row && parseFaults.length + found.length === 0) return row;
    const unparsed = new Set(parseFaults.map(({ pointer }) => pointer));
    // A value that could not be parsed is not reported as missing as well.
    const faults = [...parseFaults, ...found.filter(({ pointer }) => !unparsed.has(pointer))];
    if (row && faults.length === 0) return row;
    return {
      row: place.row,
      faults: faults.slice(0, MAX_ROW_FAULTS).map((fault) => placed(fault, place)),
      ...this.identify(raw, unparsed),
    };
  }

  private faultsOf(source: OptionSource, raw: unknown, row: GoodRow | undefined): Fault[] {
    const { senderFaults } = this.rules;
    return [
      ...deferredFaults(raw as RawOptions, ''),
      ...targetFaults(this.guard, { url: stated(source, 'url'), base_url: stated(source, 'base_url') }),
      ...(senderFaults && row ? senderFaults(row.options) : []),
    ];
  }

  private read(raw: unknown): OptionSource | AppError {
    try {
      return this.options.check(raw);
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
    ...targetFaults(guard, defaults as RawOptions).map((fault) => ({
      ...fault,
      pointer: `${pointer}${fault.pointer}`,
    })),
  ];
}

/** The targets that the guard refuses without resolving their names. */
function targetFaults(guard: EgressGuard, options: RawOptions): Fault[] {
  return ['url', 'base_url'].flatMap((name) => {
    const target = options[name];
    const fault = typeof target === 'string' ? guard.addressFault(new URL(target)) : undefined;
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
