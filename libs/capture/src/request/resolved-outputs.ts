import { compose, fieldsOf, instantiate, isPlainObject, type Fault } from '@app/kernel';
import { DefaultOptions, type AppliedDefaults, type Rules } from './default-options.js';
import type { Format } from '../formats/index.js';
import { fieldOf, ruleFaults } from './option-faults.js';
import { CaptureOptions } from './capture-options.js';
import { OutputOptions } from './output.js';
import { OWN_FAMILIES } from './outputs.js';
import { isSliced, MAX_SLICES, type SlicingOptions } from '../options/slicing.js';
import { viewport } from '../options/viewport.js';
import { classesOf } from '../pipeline/family.js';

type Given = Readonly<Record<string, unknown>>;

/** One file that a capture makes, and the options for it. */
export interface ResolvedOutput {
  readonly name: string;
  readonly options: CaptureOptions;
}

const OwnOptions = compose('OwnOptions', classesOf(OWN_FAMILIES));
const OWN_NAMES: ReadonlySet<string> = new Set(fieldsOf(OwnOptions).map(({ name }) => name));
/** The page is navigated to with these, so that they have an effect even if every output has its own. */
const VISIT_NAMES: ReadonlySet<string> = new Set(fieldsOf(viewport.type).map(({ name }) => name));

const ownRules: Rules = (given, faults) => {
  // Their rules read no other options.
  const options = instantiate(OwnOptions, given) as CaptureOptions;
  return ruleFaults({ given, options }, faults, OWN_FAMILIES);
};

/** The outputs as they were sent. */
function statedOutputs({ outputs }: Given): readonly Given[] {
  return Array.isArray(outputs) ? outputs.filter(isPlainObject) : [];
}

/** The options of the capture that an output may override. */
function inheritedOf(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([name]) => OWN_NAMES.has(name)));
}

/** The rows of a batch usually have the same outputs, and its rules are checked for each. */
const MAX_KNOWN = 500;
const MAX_KEY_LENGTH = 2_000;
const known = new Map<string, AppliedDefaults>();

/** The options of the capture that apply to an output, and the faults of the output. */
function applied(inherited: Given, own: Given): AppliedDefaults {
  const key = JSON.stringify([inherited, own]);
  const found = known.get(key) ?? new DefaultOptions(inherited, ownRules).applyBelow(own);
  if (known.size >= MAX_KNOWN) known.clear();
  if (key.length <= MAX_KEY_LENGTH) known.set(key, found);
  return found;
}

/**
 * The options of each output: its own, over those of the capture that do not contradict them.
 *
 * @param given the options of the capture as they were sent, with the defaults of the operator, free of faults
 */
export function resolveOutputs(given: Given): ResolvedOutput[] {
  const { outputs: _, ...rest } = given;
  const inherited = inheritedOf(rest);
  const common = Object.fromEntries(Object.entries(rest).filter(([name]) => !OWN_NAMES.has(name)));
  return statedOutputs(given).map(({ name, ...own }) => {
    const all = { ...common, ...applied(inherited, own).applied, ...own };
    return { name: String(name), options: instantiate(CaptureOptions, all) };
  });
}

/** The file of an output, or its slices. */
export interface OutputFiles {
  readonly format: Format;
  /** Files that there can be at most. */
  readonly count: number;
}

/** The files of the outputs, in order. `given` is as for `resolveOutputs`. */
export function outputFiles(given: Given): OutputFiles[] {
  const inherited = inheritedOf(given);
  return statedOutputs(given).map(({ name: _, ...own }) =>
    filesOfOutput({ ...new OutputOptions(), ...applied(inherited, own).applied, ...own }),
  );
}

/** The file that an output with these options makes, or its slices. */
export function filesOfOutput({
  format,
  ...options
}: { readonly format: Format } & Partial<SlicingOptions>): OutputFiles {
  return { format, count: isSliced(options) ? (options.max_slices ?? MAX_SLICES) : 1 };
}

/**
 * The faults of each output by itself: rules over several of its options, and options that its format does not take. Options of
 * the capture that contradict those of every output are faults as well: they would seem to work.
 *
 * @param given the options as they were sent, whose outputs have no faults of single fields
 * @param defaults of the operator that apply, below them
 */
export function outputFaults(given: Given, defaults: Given): Fault[] {
  const outputs = statedOutputs(given);
  if (outputs.length === 0) return [];
  const inherited = inheritedOf({ ...defaults, ...given });
  const taken = new Set(VISIT_NAMES);
  const faults = outputs.flatMap(({ name: _, ...own }, i) => {
    const result = applied(inherited, own);
    for (const name of [...Object.keys(result.applied), ...Object.keys(own)]) taken.add(name);
    return result.faults.map((fault) => ({ ...fault, pointer: `/outputs/${i}${fault.pointer}` }));
  });
  if (faults.length > 0) return faults;
  return Object.keys(inheritedOf(given))
    .filter((name) => !taken.has(name))
    .map((name) => ({
      pointer: `/${name}`,
      code: 'conflict',
      detail: 'applies to no output: the options of each contradict it',
    }));
}

/** Leaves out the faults of the capture in what its outputs override: the rules apply to each of them. */
export function withoutOverridden(faults: readonly Fault[], given: Given): readonly Fault[] {
  if (statedOutputs(given).length === 0) return faults;
  return faults.filter(
    (fault) =>
      fault.code === 'not_for_format' || VISIT_NAMES.has(fieldOf(fault)) || !OWN_NAMES.has(fieldOf(fault)),
  );
}

/** Says that an option which an output may not state is one of the whole capture. */
export function explained(fault: Fault, optionNames: ReadonlySet<string>): Fault {
  const [, list, , name = ''] = fault.pointer.split('/');
  const isOfCapture = list === 'outputs' && fault.code === 'unknown_field' && optionNames.has(name);
  return isOfCapture ? { ...fault, detail: 'is an option of the whole capture, not of an output' } : fault;
}
