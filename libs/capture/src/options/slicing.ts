import type { Fault } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';
import { Choice, Whole } from '../pipeline/option-fields.js';
import type { ComparisonOptions } from './comparison.js';
import type { FramingOptions } from './framing.js';
import type { ImageOptions } from './image.js';

/** The names of slices have three digits. */
export const MAX_SLICES = 50;

export class SlicingOptions {
  @Whole(
    'Cuts the picture of a full page into slices of this height in px of the picture, from top to bottom. Each is a file, `result-001` and so on (an output `desktop` becomes `desktop-001`), and `offset_y` in `files` of the record says where it begins. The side that a format allows applies to each slice, not to the page.',
    { exposure: 'own', min: 200, max: 8_000 },
  )
  slice_height?: number;

  @Whole('Height in px of what a slice repeats of the one above it, at most half of `slice_height`.', {
    exposure: 'own',
    min: 0,
    max: 4_000,
  })
  slice_overlap = 0;

  @Whole('Maximum number of slices. What is below the last of them is left out (`truncated`).', {
    exposure: 'own',
    min: 1,
    max: MAX_SLICES,
  })
  max_slices = MAX_SLICES;

  @Choice(
    ['gap', 'exact'],
    'Where slices end. `gap` cuts in the largest gap between blocks or lines that is within 10% of `slice_height`, and at exactly that height where there is none. `exact` always cuts there.',
    { exposure: 'own' },
  )
  slice_at: 'gap' | 'exact' = 'gap';
}

/** How a picture is cut. */
export interface Slicing extends SlicingOptions {
  readonly slice_height: number;
}

/** Whether these options cut the picture into slices. */
export function isSliced<Options extends Pick<SlicingOptions, 'slice_height'>>(
  options: Options,
): options is Options & { readonly slice_height: number } {
  return typeof options.slice_height === 'number';
}

/** The name of a slice, the first of which has the number 1. */
export function sliceName(name: string, number: number): string {
  return `${name}-${String(number).padStart(3, '0')}`;
}

/** Options that say something about slices only. */
const DETAILS = ['slice_overlap', 'max_slices', 'slice_at'] as const;

type SeenOptions = SlicingOptions &
  Pick<FramingOptions, 'full_page'> &
  Pick<ImageOptions, 'image_height'> &
  Partial<Pick<ComparisonOptions, 'compare_with'>>;

function check(options: SeenOptions, given: ReadonlySet<string>): Fault[] {
  const conflict = (name: string, detail: string): Fault => ({
    pointer: `/${name}`,
    code: 'conflict',
    detail,
  });
  if (!isSliced(options)) {
    return DETAILS.filter((name) => given.has(name)).map((name) => conflict(name, 'needs slice_height'));
  }
  const faults: Fault[] = [];
  if (!options.full_page) faults.push(conflict('slice_height', 'needs full_page'));
  if (options.slice_overlap * 2 > options.slice_height)
    faults.push(conflict('slice_overlap', 'must be at most half of slice_height'));
  if (options.image_height !== undefined)
    faults.push(
      conflict('image_height', 'must not be combined with slice_height: image_width scales slices'),
    );
  if (options.compare_with !== undefined)
    faults.push(conflict('slice_height', 'must not be combined with compare_with: slices are not compared'));
  return faults;
}

export const slicing = defineFamily<SlicingOptions, SeenOptions>(
  { name: 'slices', doc: 'Cuts the picture of a full page into files that are read one after the other.' },
  SlicingOptions,
  { check },
);
