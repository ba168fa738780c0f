import { fieldsOf, instantiate, type Fault } from '@app/kernel';
import { ruleFaults } from './option-faults.js';
import { CaptureOptions, FAMILIES } from './options/index.js';

type Given = Readonly<Record<string, unknown>>;

const OPTION_NAMES = fieldsOf(CaptureOptions).map(({ name }) => name);

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

  /** @param values free of faults, as `readDefaultOptions` finds them; their order does not matter */
  constructor(values: Given) {
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
   */
  below(
    given: Given,
    { unset = [], faults = [] }: { unset?: readonly string[]; faults?: readonly Fault[] } = {},
  ): AppliedDefaults {
    const replaced = new Set([...unset, ...Object.keys(given).flatMap((name) => [name, ...decidedBy(name)])]);
    const open = Object.fromEntries(Object.entries(this.values).filter(([name]) => !replaced.has(name)));
    const judge = (defaults: Given): Fault[] => {
      const all = { ...defaults, ...given };
      return ruleFaults({ given: all, options: instantiate(CaptureOptions, all) }, faults);
    };
    const whole = judge(open);
    return whole.length === 0 ? { applied: open, faults: [] } : compatible(open, judge);
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
 * Adds the defaults that cause no fault, in the order of the options, so that those on which others depend come first. It
 * starts again as long as one could be added, because one may be needed by an earlier one. The remaining faults are the
 * caller's own, and are reported as if there were no defaults.
 */
function compatible(defaults: Given, judge: (defaults: Given) => Fault[]): AppliedDefaults {
  const own = judge({});
  let applied: Given = {};
  let faults = own;
  let waiting = unitsOf(defaults);
  for (let before = Infinity; waiting.length < before;) {
    before = waiting.length;
    waiting = waiting.filter((unit) => {
      const found = judge({ ...applied, ...unit });
      if (!found.every((fault) => faults.some((known) => isSame(known, fault)))) return true;
      applied = { ...applied, ...unit };
      faults = found;
      return false;
    });
  }
  return { applied, faults: own.filter((fault) => faults.some((left) => isSame(left, fault))) };
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
