import { AppError, Choice, Decimal, Flag, Text, Whole, type Fault } from '@app/kernel';
import { IMAGE_FORMATS } from '../formats.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import {
  boxFrame,
  cutFrame,
  densityOf,
  MAX_PIXELS,
  MAX_SIDE,
  windowFrame,
  type Box,
  type Frame,
  type Lens,
  type PageSize,
} from '../pipeline/frame.js';
import { expandScroller } from '../pipeline/expand-scroller.js';
import { inPage } from '../pipeline/in-page.js';
import { locate } from '../pipeline/locate.js';
import { measureSides } from '../pipeline/page-sides.js';
import { unpin } from '../pipeline/pinned-elements.js';
import { PageActivity } from '../pipeline/page-activity.js';
import { settlePage } from '../pipeline/settle-page.js';
import { walkPage } from '../pipeline/walk-page.js';
import { scrollIntoView } from './find-element.js';
import { MAX_SELECTOR_LENGTH, selectorFault } from './selector-rule.js';

const formats = IMAGE_FORMATS;

export class FramingOptions {
  @Flag(
    'Captures the page in its full height. Where the page itself does not scroll and a box that covers at least half of the window does, that box is shown in its full height, as far as `max_height` goes. (A PDF prints such a box as it stands.)',
    { formats },
  )
  full_page = false;

  @Flag(
    'Captures a full page in its full width, too; without it, one wider than the window is cut (`truncated`).',
    {
      formats,
    },
  )
  full_width = false;

  @Whole('Maximum height in CSS px of a full page; a higher page is cut (`truncated`).', {
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

  @Text('CSS selector of an element to scroll to the top of the window.', {
    max: MAX_SELECTOR_LENGTH,
    check: selectorFault,
    example: '#pricing',
  })
  scroll_to_selector?: string;

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
  if (options.full_width && !options.full_page) faults.push(needs('full_width', 'full_page'));
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

function isWalked(options: FramingOptions): boolean {
  return options.scroll ?? options.full_page;
}

function prepare(visit: Visit, options: FramingOptions): Promise<void> {
  const isScrolled = isWalked(options) || options.scroll_to_selector !== undefined;
  if (isScrolled) visit.activity ??= new PageActivity();
  return Promise.resolve();
}

async function settle(visit: Visit, options: FramingOptions): Promise<void> {
  if (options.scroll_to_selector !== undefined) await scrollTo(visit, options.scroll_to_selector);
  if (options.full_page) await expandScroller(visit, options.max_height);
  const isAtEnd = !isWalked(options) || (await walk(visit, options));
  const isWhole = await settlePage(visit, isWalked(options));
  if (!isAtEnd || !isWhole) visit.facts.complete = false;
  if (options.sticky !== 'keep') await unpin(visit, options.sticky);
}

async function scrollTo(visit: Visit, css: string): Promise<void> {
  visit.activity?.act();
  if (await inPage(visit, scrollIntoView, css)) return;
  const detail = `scroll_to_selector: nothing on the page matches ${css}`;
  throw new AppError('selector_not_found', { detail });
}

function walk(visit: Visit, options: FramingOptions): Promise<boolean> {
  return walkPage(visit, options.max_height, options.full_page ? 'top' : 'start');
}

/** The part of the page to photograph, `page` being its size as it is now. */
export async function frameOf(
  visit: Visit,
  options: FramingOptions,
  { page, maxSide }: { page: Promise<PageSize>; maxSide: number },
): Promise<Frame> {
  const clip = clipOf(options);
  // What the window shows needs no measuring: the most frequent capture is not made to wait for it.
  if (!options.full_page && options.selector === undefined && !clip) return windowFrame(visit, maxSide);
  const size = await page;
  const lens = { zoom: size.zoom, density: densityOf(visit), maxSide };
  if (clip) return boxFrame(within(size, clip), lens);
  if (options.selector !== undefined) {
    return cutFrame(await locate(visit, options.selector, options.selector_padding), lens);
  }
  return fullFrame(visit, options, { size, lens });
}

async function fullFrame(
  visit: Visit,
  options: FramingOptions,
  { size, lens }: { size: PageSize; lens: Lens },
): Promise<Frame> {
  const { windowWidth } = size;
  const sides =
    size.width > windowWidth
      ? await measureSides(visit, windowWidth)
      : { window: 0, left: 0, right: windowWidth };
  const wanted = options.full_width
    ? { x: sides.left, width: sides.right - sides.left }
    : { x: sides.window, width: windowWidth };
  const width = Math.min(wanted.width, Math.floor(lens.maxSide / lens.zoom / lens.density));
  const height = Math.min(size.height, options.max_height);
  const frame = cutFrame({ ...wanted, y: 0, width, height }, lens);
  const isCut = height < size.height || width < sides.right - sides.left;
  return { ...frame, truncated: frame.truncated || isCut };
}

function clipOf({
  clip_x: x,
  clip_y: y,
  clip_width: width,
  clip_height: height,
}: FramingOptions): Box | undefined {
  if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
  // Whole px: anything between would be drawn blurred.
  return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
}

function within(page: PageSize, clip: Box): Box {
  if (clip.x + clip.width <= page.width && clip.y + clip.height <= page.height) return clip;
  throw new AppError('clip_out_of_bounds', {
    detail: `The clip reaches past the page, which has ${page.width} × ${page.height} CSS px.`,
  });
}

export const framing = defineFamily(
  { name: 'framing', doc: 'Which part of the page is captured.' },
  FramingOptions,
  {
    check,
    prepare,
    settle,
  },
);
