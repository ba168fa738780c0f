import { deferredFaults, optionFaults, parseOptionsOver, type CaptureOptions } from '@app/capture';
import { AppError, type Fault } from '@app/kernel';
import type { EgressGuard } from '@app/outbound';
import { MAX_ROW_FAULTS } from '../limits.js';
import type { BadRow, CheckedRow } from './checked-row.js';

/** Options as somebody wrote them, by their names. */
export type Given = Readonly<Record<string, unknown>>;

/** Where a row stands in what was read. */
export interface RowPlace {
  readonly row: number;
  /** Pointer to the item; a CSV has none, its faults point to a column. */
  readonly item?: string;
  /** Line of the CSV. */
  readonly line?: number;
}

/** Holds the rows of one batch against every rule, whatever they were read from. */
export class RowChecker {
  /** @param defaults without a fault of their own: `defaultFaults` has told them */
  constructor(
    private readonly guard: EgressGuard,
    private readonly defaults: Given,
  ) {}

  /**
   * @param written what the row says
   * @param known faults that its reader has found, with pointers as `parseOptions` gives them; what they are of is not in
   * `written`
   */
  check(place: RowPlace, written: unknown, known: readonly Fault[] = []): CheckedRow {
    const parsed = this.parse(written);
    const found = parsed instanceof AppError ? (parsed.facts.errors ?? []) : this.faultsOf(parsed, written);
    const told = new Set(known.map(({ pointer }) => pointer));
    // What could not be read is not missing, too.
    const faults = [...known, ...found.filter(({ pointer }) => !told.has(pointer))];
    if (faults.length === 0 && !(parsed instanceof AppError)) return { row: place.row, options: parsed };
    return {
      row: place.row,
      faults: faults.slice(0, MAX_ROW_FAULTS).map((fault) => placed(fault, place)),
      ...this.ownWords(written, told),
    };
  }

  private faultsOf(parsed: CaptureOptions, written: unknown): Fault[] {
    return [...deferredFaults(written as Given, ''), ...targetFaults(this.guard, parsed)];
  }

  private parse(written: unknown): CaptureOptions | AppError {
    try {
      return parseOptionsOver(this.defaults, written);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  private ownWords(written: unknown, told: ReadonlySet<string>): Pick<BadRow, 'url' | 'reference'> {
    const row = typeof written === 'object' && written !== null ? (written as Given) : {};
    const { url, reference } = { ...this.defaults, ...row };
    const isFine = (name: string, value: unknown): value is string =>
      typeof value === 'string' && !told.has(`/${name}`) && optionFaults({ [name]: value }, '').length === 0;
    return {
      ...(isFine('url', url) && { url: new URL(url).href }),
      ...(isFine('reference', reference) && { reference }),
    };
  }
}

/**
 * The faults of what is to hold for every row that does not say otherwise.
 *
 * @param pointer to where it stands in the request
 */
export function defaultFaults(guard: EgressGuard, defaults: unknown, pointer: string): Fault[] {
  const faults = optionFaults(defaults, pointer);
  if (faults.length > 0) return faults;
  return [
    ...deferredFaults(defaults as Given, pointer),
    ...targetFaults(guard, defaults as Partial<CaptureOptions>).map((fault) => ({
      ...fault,
      pointer: `${pointer}${fault.pointer}`,
    })),
  ];
}

/** The targets that the guard refuses before their names are resolved. */
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
