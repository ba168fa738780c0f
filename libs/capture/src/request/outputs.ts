import { composeOverlay, isPlainObject, Text, type Fault } from '@app/kernel';
import { classesOf, defineFamily, type Visit } from '../pipeline/family.js';
import { Items } from '../pipeline/option-fields.js';
import { PageActivity } from '../pipeline/page-activity.js';
import type { ComparisonOptions } from '../options/comparison.js';
import { framing } from '../options/framing.js';
import { image } from '../options/image.js';
import { output, OutputOptions } from './output.js';
import { pdf } from '../options/pdf.js';
import { isSliced, MAX_SLICES, sliceName, slicing, type SlicingOptions } from '../options/slicing.js';
import { viewport } from '../options/viewport.js';

const MAX_OUTPUTS = 10;

/** The name of the file of a capture without `outputs`. */
export const RESULT = 'result';

/** The name of the file that shows what changed since an earlier capture. */
export const DIFF = 'diff';

/** The name of the picture of the window when a step failed. */
export const FAILURE = 'failure';

class OutputName {
  @Text('Name of the file, unique in the capture.', {
    max: 32,
    pattern: /^[a-z0-9-]+$/,
    message: 'must be lower-case letters, digits and hyphens',
    example: 'phone',
  })
  name?: string;
}

/** The families whose options an output may state. */
export const OWN_FAMILIES = [output, image, viewport, framing, slicing, pdf] as const;

/** One output: its name, and the options in which it differs from those of the capture. */
export const Output = composeOverlay('Output', [OutputName, ...classesOf(OWN_FAMILIES)]);
export type Output = InstanceType<typeof Output>;

export class OutputsOptions {
  @Items(
    Output,
    'Several files of one visit, for one unit of the allowance. Each has a `name` and may override the options of the families output, image, viewport, framing, slices and pdf; all others, and those that it does not state, are those of the capture. An option of the capture that contradicts one of the output does not apply to it. The page is loaded once, in the window of the capture, or in that of the first output when the capture states none, and with the user agent of that device; it takes the windows of the others without being loaded again. Where an output needs `scroll`, lazy content is loaded for all that share its window.',
    {
      exposure: 'answer',
      maxItems: MAX_OUTPUTS,
      example: [
        { name: 'desktop', full_page: true },
        { name: 'phone', device: 'iphone-15-pro' },
        { name: 'text', format: 'text' },
      ],
    },
  )
  outputs: Output[] = [];
}

type SeenOptions = OutputsOptions & SlicingOptions & ComparisonOptions;

function check(options: SeenOptions, given: ReadonlySet<string>): Fault[] {
  if (options.outputs.length === 0) {
    if (!given.has('outputs')) return [];
    return [{ pointer: '/outputs', code: 'too_few', detail: 'must have at least one output' }];
  }
  const { outputs, ...common } = options;
  return [...nameFaults(outputs), ...sliceFaults(outputs, common)];
}

function nameFaults(outputs: readonly Output[]): Fault[] {
  return outputs.flatMap(({ name }, i) => {
    const fault = (code: string, detail: string): Fault[] => [
      { pointer: `/outputs/${i}/name`, code, detail },
    ];
    if (name === undefined) return fault('required', 'is missing');
    if (name === DIFF || name === FAILURE) {
      return fault('not_allowed', `must not be ${name}, which names a file of the service`);
    }
    const isTaken = outputs.findIndex((other) => other.name === name) < i;
    return isTaken ? fault('conflict', 'is the name of an earlier output, too') : [];
  });
}

/** What slices of some outputs do to the others. */
function sliceFaults(outputs: readonly Output[], common: Omit<SeenOptions, 'outputs'>): Fault[] {
  const sliced = outputs.filter((output) => isSliced(output) || isSliced(common));
  const names = outputs.map(({ name }) => name);
  const taken = sliced.flatMap(({ name = '' }) =>
    Array.from({ length: MAX_SLICES }, (_, i) => names.indexOf(sliceName(name, i + 1))).filter((i) => i >= 0),
  );
  const faults = taken.map((i) => ({
    pointer: `/outputs/${i}/name`,
    code: 'conflict',
    detail: 'is the name of a slice of another output',
  }));
  if (common.compare_with === undefined || !outputs.every(isSliced)) return faults;
  const detail = 'needs an output without slice_height: slices are not compared';
  return [...faults, { pointer: '/compare_with', code: 'conflict', detail }];
}

/** The formats that a request asks for, from its options as they were sent. */
export function formatsAsked(given: Readonly<Record<string, unknown>>): unknown[] {
  const { format = new OutputOptions().format, outputs } = given;
  if (!Array.isArray(outputs) || outputs.length === 0) return [format];
  return outputs.map((output: unknown) => (isPlainObject(output) && output.format) || format);
}

/** The outputs scroll the page and change its window. */
function prepare(visit: Visit, options: OutputsOptions): Promise<void> {
  if (options.outputs.length > 0) visit.activity ??= new PageActivity();
  return Promise.resolve();
}

export const outputs = defineFamily<OutputsOptions, SeenOptions>(
  { name: 'outputs', doc: 'Several files of one visit.' },
  OutputsOptions,
  { check, prepare },
);
