import { fieldsOf, instantiate, type Fault } from '@app/kernel';
import { formatsOf } from '../formats/index.js';
import { ruleFaults } from './option-faults.js';
import { CaptureOptions, FAMILIES } from './capture-options.js';
import { formatsAsked } from './outputs.js';

type Given = Readonly<Record<string, unknown>>;

const OPTION_NAMES = fieldsOf(CaptureOptions).map(({ name }) => name);

/** The faults of rules over several of these options, of which those with `faults` are not judged. */
export type Rules = (given: Given, faults: readonly Fault[], watch?: Watch) => Fault[];

/** Observes the rules: what a rule says after it has read one of these options may hold for their values only. */
export interface Watch {
  readonly names: readonly string[];
  readonly onRead: () => void;
}

const captureRules: Rules = (given, faults, watch) => {
  const options = instantiate(CaptureOptions, given);
  if (watch) watchReads(options, watch);
  return ruleFaults({ given, options }, faults);
};

function watchReads(options: CaptureOptions, { names, onRead }: Watch): void {
  for (const name of names) {
    const value: unknown = options[name as keyof CaptureOptions];
    const get = (): unknown => {
      onRead();
      return value;
    };
    Object.defineProperty(options, name, { get, enumerable: true, configurable: true });
  }
}

/** The operator's defaults that apply to a capture, and the faults that its caller's options have with them. */
export interface AppliedDefaults {
  readonly applied: Given;
  readonly faults: readonly Fault[];
}

/**
 * The options that apply to captures whose callers do not set them (`DEFAULT_OPTIONS`). The caller does not know them and
 * cannot correct them, so a default that his options replace or contradict does not apply, and no fault is about it.
 */
export class DefaultOptions {
  private readonly values: Given;

  /**
   * @param values free of faults, as `readDefaultOptions` finds them; their order does not matter
   * @param rulesOver the rules over several of the options
   */
  constructor(
    values: Given,
    private readonly rulesOver: Rules = captureRules,
  ) {
    this.values = Object.fromEntries(
      OPTION_NAMES.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]),
    );
  }

  get isEmpty(): boolean {
    return Object.keys(this.values).length === 0;
  }

  toJSON(): Given {
    return this.values;
  }

  /**
   * The defaults that apply below the options of a caller, as many as no rule over several options refuses.
   *
   * @param given what the caller sent, free of `faults`
   * @param unset options that the caller leaves unset on purpose
   * @param faults of other options of the caller
   * @param watch notices when what is returned depends on the values of some options
   */
  applyBelow(
    given: Given,
    {
      unset = [],
      faults = [],
      watch,
    }: { unset?: readonly string[]; faults?: readonly Fault[]; watch?: Watch | undefined } = {},
  ): AppliedDefaults {
    const replaced = new Set([...unset, ...Object.keys(given).flatMap((name) => [name, ...decidedBy(name)])]);
    const open = Object.fromEntries(
      Object.entries(this.values).filter(([name]) => !replaced.has(name) && this.fitsFormat(name, given)),
    );
    const judge = (defaults: Given): Fault[] => {
      const all = { ...defaults, ...given };
      return this.rulesOver(all, faults, watch);
    };
    const whole = judge(open);
    return whole.length === 0 ? { applied: open, faults: [] } : compatible(open, judge);
  }

  /** Leaves out at once what the rules would refuse one by one: defaults for several formats are usual. */
  private fitsFormat(name: string, given: Given): boolean {
    // The format of the operator applies only if the caller's options allow it.
    if (given.format === undefined && Object.hasOwn(this.values, 'format')) return true;
    const asked = formatsAsked(given);
    return formatsOf(name)?.some((each) => asked.includes(each)) ?? true;
  }
}

const DECIDES: ReadonlyMap<string, readonly string[]> = new Map(
  FAMILIES.flatMap(({ decides = {} }) => Object.entries(decides)),
);

/** The options that a caller has decided about when he sends this one. */
function decidedBy(name: string): readonly string[] {
  return DECIDES.get(name) ?? [];
}

/**
 * Adds the defaults that cause no fault, in the order of the options, so that those on which others depend come first. The
 * remaining faults are the caller's own, and are reported as if there were no defaults.
 */
function compatible(defaults: Given, judge: (defaults: Given) => Fault[]): AppliedDefaults {
  const own = judge({});
  let applied: Given = {};
  let faults = own;
  /** Halves what does not fit until it finds what causes faults: rows of a batch have many defaults and few conflicts. */
  const add = (units: readonly Given[]): readonly Given[] => {
    const more = Object.assign({}, applied, ...units) as Given;
    const found = judge(more);
    if (found.every((fault) => faults.some((known) => isSame(known, fault)))) {
      applied = more;
      faults = found;
      return [];
    }
    const middle = units.length >> 1;
    return middle === 0 ? units : [...add(units.slice(0, middle)), ...add(units.slice(middle))];
  };
  // A default that was left out may need one that was added after it.
  let left: readonly Given[] = unitsOf(defaults);
  for (let before = Infinity; left.length > 0 && left.length < before;) {
    before = left.length;
    left = add(left);
  }
  return { applied, faults: own.filter((fault) => faults.some((known) => isSame(known, fault))) };
}

/** The defaults one by one; those that decide about each other, such as a latitude and a longitude, together. */
function unitsOf(defaults: Given): Given[] {
  const units = Object.keys(defaults).map((name) =>
    Object.keys(defaults).filter(
      (other) => other === name || (decidedBy(name).includes(other) && decidedBy(other).includes(name)),
    ),
  );
  return units
    .filter(([first], i) => units.findIndex(([other]) => other === first) === i)
    .map((names) => Object.fromEntries(names.map((name) => [name, defaults[name]])));
}

function isSame(one: Fault, other: Fault): boolean {
  return one.pointer === other.pointer && one.code === other.code;
}

export const NO_DEFAULTS = new DefaultOptions({});
