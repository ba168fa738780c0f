import { Choice, Decimal, Flag, Text, Whole, type Fault } from '@app/kernel';
import { IMAGE_FORMATS } from '../formats.js';
import { defineFamily } from '../pipeline/family.js';
import { MAX_SELECTOR_LENGTH, selectorFault } from './selector-rule.js';

/** Chromium draws every row right up to here, and repeats or drops rows from about 118 Mpx on. */
export const MAX_PIXELS = 100_000_000;
/** Longest side of an image in device px; past about 200,000 Chromium refuses the page. */
export const MAX_SIDE = 100_000;

const formats = IMAGE_FORMATS;

export class FramingOptions {
  @Flag('Captures the page in its full height.', { formats })
  full_page = false;

  @Whole('Greatest height in CSS px of a full page; a higher one is cut (`truncated`).', {
    min: 1,
    max: 100_000,
    formats,
  })
  max_height = 20_000;

  @Text('CSS selector of the one element to capture.', {
    max: MAX_SELECTOR_LENGTH,
    check: selectorFault,
    formats,
    example: 'article.post',
  })
  selector?: string;

  @Whole('Space in CSS px to keep around the element.', { min: 0, max: 500, formats })
  selector_padding = 0;

  @Decimal('Left edge in CSS px of the part of the page to capture.', { min: 0, max: MAX_SIDE, formats })
  clip_x?: number;

  @Decimal('Top edge in CSS px of the part of the page to capture.', { min: 0, max: MAX_SIDE, formats })
  clip_y?: number;

  @Decimal('Width in CSS px of the part of the page to capture.', { min: 1, max: MAX_SIDE, formats })
  clip_width?: number;

  @Decimal('Height in CSS px of the part of the page to capture.', { min: 1, max: MAX_SIDE, formats })
  clip_height?: number;

  @Flag('Walks down the page first, in bounded time, so that lazy content loads; as `full_page` by default.')
  scroll?: boolean;

  @Choice(
    ['keep', 'top', 'hide'],
    'What to do with elements pinned to the window: leave them, show them only where the top of the page has them, or hide them.',
    { formats },
  )
  sticky: 'keep' | 'top' | 'hide' = 'keep';
}

const CLIP = ['clip_x', 'clip_y', 'clip_width', 'clip_height'] as const;

function check(options: FramingOptions, given: ReadonlySet<string>): Fault[] {
  const missing = CLIP.filter((name) => options[name] === undefined);
  const clipped = missing.length < CLIP.length;
  const faults: Fault[] = clipped
    ? missing.map((name) => ({
        pointer: `/${name}`,
        code: 'conflict',
        detail: 'is missing: a clip needs all four of clip_x, clip_y, clip_width, clip_height',
      }))
    : [];
  const frames = [
    options.full_page && 'full_page',
    options.selector !== undefined && 'selector',
    clipped && CLIP[0],
  ]
    .filter((name) => name !== false)
    .slice(1);
  faults.push(
    ...frames.map((name) => ({
      pointer: `/${name}`,
      code: 'conflict',
      detail: 'must not be combined: at most one of full_page, selector and clip',
    })),
  );
  if (given.has('max_height') && !options.full_page) faults.push(needs('max_height', 'full_page'));
  if (given.has('selector_padding') && options.selector === undefined) {
    faults.push(needs('selector_padding', 'selector'));
  }
  if ((options.clip_width ?? 0) * (options.clip_height ?? 0) > MAX_PIXELS) {
    faults.push({
      pointer: '/clip_height',
      code: 'out_of_range',
      detail: 'makes the clip more than 100 megapixels',
    });
  }
  return faults;
}

function needs(name: string, other: string): Fault {
  return { pointer: `/${name}`, code: 'conflict', detail: `needs ${other}` };
}

export const framing = defineFamily('framing', 'Which part of the page is captured.', FramingOptions, {
  check,
});
