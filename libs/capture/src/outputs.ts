import { instantiate, isPlainObject, type Fault } from '@app/kernel';
import { DefaultOptions } from './default-options.js';
import { CaptureOptions } from './options/index.js';

type Given = Readonly<Record<string, unknown>>;

/** The name of the file of a capture without `outputs`. */
export const RESULT = 'result';

/** One file that a capture makes, and the options for it. */
export interface ResolvedOutput {
  readonly name: string;
  readonly options: CaptureOptions;
}

/** The outputs as they were sent. */
function statedOutputs({ outputs }: Given): readonly Given[] {
  return Array.isArray(outputs) ? outputs.filter(isPlainObject) : [];
}

/**
 * The options of each output: its own, over those of the capture that do not contradict them.
 *
 * @param given the options of the capture as they were sent, with the defaults of the operator, free of faults
 */
export function resolveOutputs(given: Given): ResolvedOutput[] {
  const { outputs: _, ...rest } = given;
  const inherited = new DefaultOptions(rest);
  return statedOutputs(given).map(({ name, ...own }) => {
    const { applied } = inherited.below(own);
    return { name: String(name), options: instantiate(CaptureOptions, { ...applied, ...own }) };
  });
}

/**
 * The faults of each output by itself: rules over several of its options, and options that its format does not take.
 *
 * @param given the options as they were sent, whose outputs have no faults of single fields
 */
export function outputFaults(given: Given): Fault[] {
  const { outputs: _, ...rest } = given;
  const inherited = new DefaultOptions(rest);
  return statedOutputs(given).flatMap(({ name: __, ...own }, i) =>
    inherited.below(own).faults.map((fault) => ({ ...fault, pointer: `/outputs/${i}${fault.pointer}` })),
  );
}
