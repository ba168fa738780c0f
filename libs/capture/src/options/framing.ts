import { AppError, type Fault } from '@app/kernel';
import { markIncomplete, noteSections } from '../record/completeness.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { Choice, Decimal, Flag, Text, Whole } from '../pipeline/option-fields.js';
import { MAX_PIXELS, MAX_SIDE } from '../pipeline/capture-area.js';
import { expandScrollContainer } from '../full-page/scroll-container.js';
import { cleanPage } from '../pipeline/clean-page.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { keepScrollPositions, scrollToStart, undoChanges } from '../full-page/page-undo.js';
import { detachPinned } from '../full-page/pinned-elements.js';
import { PageActivity } from '../pipeline/page-activity.js';
import { watchResizes } from '../full-page/resize-watch.js';
import { settlePage } from '../pipeline/settle-page.js';
import { waitForFonts } from '../readiness/idle.js';
import { drawEverywhere } from '../full-page/draw-everywhere.js';
import { shrinkWindow } from '../full-page/grown-window.js';
import { growWhole, showSeen } from '../full-page/show-seen.js';
import { walkPage } from '../full-page/walk-page.js';
import { MAX_SELECTOR_LENGTH, selectorFault } from '../pipeline/selector-rule.js';

export const FULL_PAGE_METHODS = ['auto', 'grow', 'stitch', 'once'] as const;
export type FullPageMethod = (typeof FULL_PAGE_METHODS)[number];

export class FramingOptions {
  @Flag(
    'Captures the full height of the page. When the page itself does not scroll but a scroll container that covers at least half of the window does, that container is expanded to its full height, up to `max_height`. (A PDF prints such a container as it is.)',
    { exposure: 'public', alsoCalled: ['full', 'fullpage'] },
  )
  full_page = false;

  @Flag(
    'Captures the full width of a full page, too. Without it, a page wider than the window is cut (`truncated`).',
    { exposure: 'public' },
  )
  full_width = false;

  @Choice(
    FULL_PAGE_METHODS,
    'How a full page is drawn. `auto` shows each part as it looked while it was in the window, by the cheapest of the other ways that does. `once` takes one picture of the page as it is at its top. `grow` makes the window as high as the page first; what follows the height of the window keeps its size. `stitch` joins pictures of the window.',
    { exposure: 'public' },
  )
  full_page_method: FullPageMethod = 'auto';

  @Whole(
    'Maximum height of a full page in CSS px. A higher page is cut (`truncated`); so is a picture that is higher than its format can be: 16,383 px for WebP, 16,384 for AVIF.',
    { exposure: 'public', min: 1, max: 100_000 },
  )
  max_height = 20_000;

  @Text('CSS selector of the one element to capture.', {
    exposure: 'public',
    max: MAX_SELECTOR_LENGTH,
    check: selectorFault,
    example: 'article.post',
    alsoCalled: ['element', 'crop_selector'],
  })
  selector?: string;

  @Whole('Space around the element in CSS px.', { exposure: 'public', min: 0, max: 500 })
  selector_padding = 0;

  @Decimal('Left edge of the part of the page to capture, in CSS px.', {
    exposure: 'public',
    min: 0,
    max: MAX_SIDE,
  })
  clip_x?: number;

  @Decimal('Top edge of the part of the page to capture, in CSS px.', {
    exposure: 'public',
    min: 0,
    max: MAX_SIDE,
  })
  clip_y?: number;

  @Decimal('Width of the part of the page to capture, in CSS px.', {
    exposure: 'public',
    min: 1,
    max: MAX_SIDE,
  })
  clip_width?: number;

  @Decimal('Height of the part of the page to capture, in CSS px.', {
    exposure: 'public',
    min: 1,
    max: MAX_SIDE,
  })
  clip_height?: number;

  @Flag(
    'Scrolls through the page first, for a bounded time, so that lazy content loads. Defaults to `full_page`.',
    { exposure: 'public' },
  )
  scroll?: boolean;

  @Text('CSS selector of an element to scroll to the top of the window.', {
    exposure: 'public',
    max: MAX_SELECTOR_LENGTH,
    check: selectorFault,
    example: '#pricing',
  })
  scroll_to_selector?: string;

  @Choice(
    ['keep', 'top', 'hide'],
    'How elements that are pinned to the window are captured: `keep` leaves them, `top` shows them at the top of the page only, `hide` hides them.',
    { exposure: 'public' },
  )
  sticky: 'keep' | 'top' | 'hide' = 'keep';
}

/** Maximum wait for fonts that only the layout of another window shows. */
const FONTS_MS = 3_000;

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
  if (given.has('full_page_method') && !options.full_page)
    faults.push(needs('full_page_method', 'full_page'));
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

export function isScrolledThrough(options: FramingOptions): boolean {
  return options.scroll ?? options.full_page;
}

/** Whether the picture may show what is beyond the window, for which Chromium resizes the window. */
export function mayGoBeyondWindow({ full_page: isFull, selector, clip_x: clip }: FramingOptions): boolean {
  return isFull || selector !== undefined || clip !== undefined;
}

async function prepare(visit: Visit, options: SharedFraming): Promise<void> {
  const isScrolled = isScrolledThrough(options) || options.scroll_to_selector !== undefined;
  if (isScrolled) visit.activity ??= new PageActivity();
  if (options.isBeyondWindow ?? mayGoBeyondWindow(options)) await watchResizes(visit);
}

async function settle(visit: Visit, options: SharedFraming): Promise<void> {
  await shrinkWindow(visit);
  // What lies over the page may keep it from scrolling.
  if (isScrolledThrough(options)) await cleanPage(visit);
  if (options.scroll_to_selector !== undefined) await scrollTo(visit, options.scroll_to_selector);
  if (options.full_page) await expandScrollContainer(visit, options.max_height);
  const isAlone = options.full_page && options.isShared !== true;
  if (isAlone && options.full_page_method !== 'once') await drawEverywhere(visit);
  const isAtEnd = !isScrolledThrough(options) || (await scrollPage(visit, options));
  await cleanPage(visit);
  const isWhole = await settlePage(visit, isScrolledThrough(options));
  if (!isAtEnd) markIncomplete(visit.facts, 'end_not_reached');
  if (!isWhole) markIncomplete(visit.facts, 'still_loading');
  if (isAlone) await showWhole(visit, options);
  if (options.sticky !== 'keep') await detachPinned(visit, options.sticky);
}

/** Makes a full page show all at once what it shows in the window while it is scrolled through. */
async function showWhole(
  visit: Visit,
  { full_page_method: method, max_height: maxHeight, scroll }: FramingOptions,
): Promise<void> {
  if (method === 'grow') await growWhole(visit, maxHeight);
  if (method !== 'auto' || scroll === false) return;
  const unseen = await showSeen(visit, maxHeight);
  if (unseen > 0) noteSections(visit.facts, unseen);
}

/** What several outputs need together. The page stays where it is: each of them scrolls by itself to what it shows. */
interface SharedFraming extends FramingOptions {
  readonly isShared?: boolean;
  /** Whether a picture of any output goes beyond the window, in whatever window. */
  readonly isBeyondWindow?: boolean;
}

/** The framing of a page that several outputs share: it is scrolled through once, as far as one of them needs. */
export function sharedFraming(all: readonly FramingOptions[]): SharedFraming {
  const scrolled = all.filter(isScrolledThrough);
  const whole = scrolled.filter(({ full_page }) => full_page);
  const isOnce = whole.every(({ full_page_method }) => full_page_method === 'once');
  const maxHeight = Math.max(...scrolled.map(({ max_height }) => max_height));
  return Object.assign(new FramingOptions(), {
    isShared: true,
    full_page: whole.length > 0,
    ...(isOnce && { full_page_method: 'once' }),
    scroll: scrolled.length > 0,
    ...(scrolled.length > 0 && { max_height: maxHeight }),
  });
}

/** Settles the page in the window of other outputs, with the framing that they share. */
async function settleAgain(visit: Visit, options: SharedFraming): Promise<void> {
  await settle(visit, options);
  await waitForFonts(visit, performance.now() + Math.min(FONTS_MS, visit.remainingMs() / 3));
}

/**
 * Frames the page for one of several outputs. The page has been settled with the framing that they share. `unframe` undoes it.
 */
async function frame(visit: Visit, options: FramingOptions): Promise<void> {
  const { selector, scroll_to_selector: target, full_page: isFull } = options;
  const selectors = [selector, target].filter((each) => each !== undefined);
  if (isFull || selectors.length > 0) await keepScrollPositions(visit, selectors);
  if (target !== undefined) await scrollTo(visit, target);
  const isExpanded = isFull && (await expandScrollContainer(visit, options.max_height));
  if (isFull && options.full_page_method !== 'once') await drawEverywhere(visit);
  // A container that shows only some of its rows makes the others once it is higher.
  const isAtEnd = !isExpanded || (await scrollPage(visit, options));
  const isMoved = isFull && (await scrollToStart(visit, true));
  const isWhole = !(target !== undefined || isExpanded || isMoved) || (await settlePage(visit, isExpanded));
  if (!isAtEnd) markIncomplete(visit.facts, 'end_not_reached');
  if (!isWhole) markIncomplete(visit.facts, 'still_loading');
  if (isFull) await showWhole(visit, options);
  if (options.sticky !== 'keep') await detachPinned(visit, options.sticky);
}

/** Undoes what `frame` did to the page, so that the next output shows it as if it were the only one. */
async function unframe(visit: Visit, options: FramingOptions): Promise<void> {
  const { full_page: isFull, scroll_to_selector: target, selector, sticky } = options;
  if (!isFull && target === undefined && selector === undefined && sticky === 'keep') return;
  visit.needsStitching = false;
  await shrinkWindow(visit);
  visit.activity?.act();
  // Headers react to scrolling, and pages to a container that is small again.
  if (await undoChanges(visit)) await settlePage(visit, false);
}

async function scrollTo(visit: Visit, css: string): Promise<void> {
  visit.activity?.act();
  if (await inPage(visit, scrollIntoView, css)) return;
  const detail = `scroll_to_selector: nothing on the page matches ${css}`;
  throw new AppError('selector_not_found', { detail });
}

/** Runs in the page. A selector that the browser does not know matches nothing. */
function scrollIntoView(selector: string, safe: SafeAccess): boolean {
  try {
    const element = safe(document).querySelector(selector);
    if (element) safe(element).scrollIntoView({ block: 'start', inline: 'nearest', behavior: 'instant' });
    return element !== null;
  } catch {
    return false;
  }
}

function scrollPage(visit: Visit, options: SharedFraming): Promise<boolean> {
  const { max_height: maxHeight, full_page: isFull, full_page_method: method, isShared } = options;
  const backTo = isFull && isShared !== true ? 'top' : 'start';
  return walkPage(visit, { maxHeight, backTo, notesLooks: isFull && method !== 'once' });
}

export const framing = defineFamily(
  { name: 'framing', doc: 'Which part of the page is captured.' },
  FramingOptions,
  {
    check,
    prepare,
    settle,
    settleAgain,
    frame,
    unframe,
  },
);
