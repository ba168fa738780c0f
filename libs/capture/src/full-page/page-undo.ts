import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';

/** Kept in the isolated world between two calls, under a symbol: an element's name could shadow a string. */
interface World {
  [key: symbol]: Undo[] | undefined;
}

/** Returns whether the page may react to it. */
type Undo = () => boolean;

/** Runs in the page: notes how to undo a change to it. Functions for `inPage` list it in their `uses`. */
export function onUndo(undo: Undo): void {
  const world = globalThis as unknown as World;
  (world[Symbol.for('undo')] ??= []).push(undo);
}

/**
 * Undoes the noted changes to the page, the latest first. Does nothing on a page that has navigated since.
 *
 * @returns whether the page may react to it, as to a scroll
 */
export async function undoChanges(visit: Visit): Promise<boolean> {
  return inPage(visit, undoAll, null);
}

/** Runs in the page. */
function undoAll(): boolean {
  const world = globalThis as unknown as World;
  const noted = world[Symbol.for('undo')] ?? [];
  world[Symbol.for('undo')] = [];
  let hasEffect = false;
  for (const undo of noted.reverse()) {
    try {
      if (undo()) hasEffect = true;
    } catch {
      // What the page has removed or replaced needs no undoing; the others do.
    }
  }
  return hasEffect;
}

/**
 * Notes where the page, and what can be scrolled around the first matches of these selectors, are scrolled to, so that
 * `undoChanges` scrolls them back.
 */
export async function keepScrollPositions(visit: Visit, selectors: readonly string[]): Promise<void> {
  await inPage(visit, { run: notePositions, uses: [onUndo] }, selectors);
}

/** Runs in the page. */
function notePositions(selectors: readonly string[], safe: SafeAccess): void {
  const page = safe(document);
  const { scrollX, scrollY } = window;
  const around = new Set<Element>();
  for (const selector of selectors) {
    let found: Node | null = null;
    try {
      found = page.querySelector(selector);
    } catch {
      // Whatever uses the selector reports that the browser does not know it.
    }
    for (let each = found; each; each = safe(each).parentNode) if (each instanceof Element) around.add(each);
  }
  const positions = [...around].map((element) => {
    const { scrollLeft: left, scrollTop: top } = safe(element);
    return { element, left, top };
  });
  onUndo(() => {
    let isMoved = window.scrollX !== scrollX || window.scrollY !== scrollY;
    for (const { element, left, top } of positions) {
      const own = safe(element);
      if (own.scrollLeft === left && own.scrollTop === top) continue;
      own.scrollTo({ left, top, behavior: 'instant' });
      isMoved = true;
    }
    window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
    return isMoved;
  });
}

/**
 * Scrolls the page to where it begins: to its top, or to the element that the fragment of its address names, which is elsewhere
 * once its window has another size. Returns whether it was elsewhere.
 *
 * @param isTop whether it begins at the top, whatever its address says
 */
export function scrollToStart(visit: Visit, isTop: boolean): Promise<boolean> {
  return inPage(visit, toStart, isTop);
}

/** Runs in the page. */
function toStart(isTop: boolean, safe: SafeAccess): boolean {
  const { scrollX, scrollY } = window;
  if (scrollX === 0 && scrollY === 0) return false;
  const named = isTop ? null : safe(document).querySelector(':target');
  if (named) safe(named).scrollIntoView({ block: 'start', behavior: 'instant' });
  else if (isTop) window.scrollTo({ left: 0, top: 0, behavior: 'instant' });
  return window.scrollX !== scrollX || window.scrollY !== scrollY;
}
