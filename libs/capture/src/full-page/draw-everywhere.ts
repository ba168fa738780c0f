import { randomUUID } from 'node:crypto';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { InlineStyles } from './inline-styles.js';
import { OwnRules } from './own-rules.js';
import { onUndo } from './page-undo.js';
import { endsInTime, withDeadline } from '../pipeline/wait.js';
import { BACKGROUND_PARTS, backgroundOf } from './fixed-backgrounds.js';

/** Maximum wait for the sizes of background pictures, which the page has loaded. */
const SIZES_MS = 1_000;
const MAX_ELEMENTS = 20_000;
/** A page with more fixed backgrounds keeps the others as they are. */
const MAX_BACKGROUNDS = 100;

/**
 * Makes Chromium draw all over the page what it draws only in the window: boxes with `content-visibility: auto`, whose sizes are
 * estimates until then, and backgrounds that are fixed to the window. `undoChanges` undoes it.
 */
export async function drawEverywhere(visit: Visit): Promise<void> {
  const limits = { mark: `data-${randomUUID()}`, maxElements: MAX_ELEMENTS, maxBackgrounds: MAX_BACKGROUNDS };
  const uses = [OwnRules, InlineStyles, onUndo, ...BACKGROUND_PARTS];
  const drawing = inPage(visit, { run: drawParts, uses }, limits);
  const deadline = { until: performance.now() + SIZES_MS, message: 'the sizes of backgrounds' };
  await endsInTime(withDeadline(deadline, drawing));
}

interface Limits {
  readonly mark: string;
  readonly maxElements: number;
  readonly maxBackgrounds: number;
}

/** Runs in the page. */
async function drawParts({ mark, maxElements, maxBackgrounds }: Limits, safe: SafeAccess): Promise<void> {
  const all = Array.prototype.slice.call(
    safe(document).getElementsByTagName('*'),
    0,
    maxElements,
  ) as Element[];
  const skipped: HTMLElement[] = [];
  const backgrounds: Element[] = [];
  for (const element of all) {
    const { contentVisibility, backgroundAttachment, backgroundImage, position } = getComputedStyle(element);
    if (contentVisibility === 'auto') skipped.push(element as HTMLElement);
    const isFixed = backgroundImage !== 'none' && backgroundAttachment.includes('fixed');
    if (isFixed && position !== 'fixed' && backgrounds.length < maxBackgrounds) backgrounds.push(element);
  }
  if (skipped.length === 0 && backgrounds.length === 0) return;
  const inline = new InlineStyles(safe);
  const rules = new OwnRules(mark, maxBackgrounds, safe);
  onUndo(() => {
    inline.restore();
    rules.remove(() => undefined);
    return false;
  });
  for (const element of skipped) inline.set(element, { 'content-visibility': 'visible' });
  const styles = await Promise.all(
    backgrounds.map(async (element) => [element, await backgroundOf(element)] as const),
  );
  for (const [element, style] of styles) rules.set(element, style);
}
