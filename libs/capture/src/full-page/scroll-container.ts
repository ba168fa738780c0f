import { randomUUID } from 'node:crypto';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { OwnRules } from '../pipeline/own-rules.js';
import { onUndo } from '../pipeline/page-undo.js';

/**
 * Expands the main scroll container to its full height, up to `maxHeight` CSS px, in an app that fills the window and scrolls
 * inside. Scrolling through the page then reaches all of its content. Pages that scroll themselves, and small scroll containers
 * such as side bars and code listings, stay as they are. `undoChanges` undoes it.
 *
 * @returns whether a container was expanded
 */
export async function expandScrollContainer(visit: Visit, maxHeight: number): Promise<boolean> {
  if (!(await inPage(visit, findScroller, null))) return false;
  const mark = `data-${randomUUID()}`;
  await inPage(visit, { run: expandFound, uses: [onUndo, OwnRules] }, { mark, maxHeight });
  return inPage(visit, { run: keepOrUndo, uses: [onUndo] }, { mark, maxHeight });
}

/** Kept in the isolated world between two calls, under a symbol: an element's name could shadow a string. */
interface World {
  [key: symbol]: { readonly element: Element; readonly hidden: number } | undefined;
}

/**
 * Runs in the page. Finds the scroll container that covers at least half of the window; of several, the one that hides the
 * most content.
 */
function findScroller(_: null, safe: SafeAccess): boolean {
  const page = safe(document);
  const root = (page.scrollingElement ?? page.documentElement) as Element | null;
  const { innerWidth, innerHeight } = window;
  // A page that scrolls by a few px does so by mistake.
  if (!root || safe(root).scrollHeight > innerHeight * 1.1) return false;
  const elementsOf = (top: ParentNode): Element[] =>
    [...top.querySelectorAll('*')].flatMap((element) => {
      const { shadowRoot } = safe(element);
      return shadowRoot ? [element, ...elementsOf(shadowRoot)] : [element];
    });
  const hiddenOf = (element: Element): number => safe(element).scrollHeight - safe(element).clientHeight;
  const isScroller = (element: Element): boolean => {
    if (hiddenOf(element) <= 1 || element === root || element instanceof HTMLTextAreaElement) return false;
    const { left, right, top, bottom } = safe(element).getBoundingClientRect();
    const width = Math.max(0, Math.min(right, innerWidth) - Math.max(left, 0));
    const height = Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0));
    if (width * height < (innerWidth * innerHeight) / 2) return false;
    const isSeen = safe(element).checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return isSeen && ['auto', 'scroll'].includes(getComputedStyle(element).overflowY);
  };
  const [element] = elementsOf(page)
    .filter(isScroller)
    .sort((one, other) => hiddenOf(other) - hiddenOf(one));
  if (element === undefined) return false;
  const world = globalThis as unknown as World;
  world[Symbol.for('scroller')] = { element, hidden: hiddenOf(element) };
  return true;
}

/**
 * Runs in the page. Makes the container and its ancestors as high as its content, by style rules of our own: a script that sets
 * heights when the window is resized cannot overwrite them.
 */
function expandFound({ mark, maxHeight }: { mark: string; maxHeight: number }, safe: SafeAccess): void {
  const found = (globalThis as unknown as World)[Symbol.for('scroller')];
  if (!found) return;
  const { scrollLeft: left, scrollTop: top } = safe(found.element);
  const own = new OwnRules(mark, Infinity, safe);
  const parentOf = (element: Element): Element | null => {
    const parent = safe(element).assignedSlot ?? safe(element).parentNode;
    return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
  };
  const freed = (element: Element, style: CSSStyleDeclaration): Record<string, string> => {
    const { top, left, width, position } = style;
    const parent = parentOf(element);
    const around = parent ? getComputedStyle(parent) : style;
    const isInColumn = around.display.endsWith('flex') && around.flexDirection.startsWith('column');
    const isPlaced = position === 'fixed' || position === 'absolute';
    return {
      ...{ height: 'auto', contain: 'none', transition: 'none', 'content-visibility': 'visible' },
      ...(isInColumn && { flex: '0 0 auto' }),
      ...(isPlaced && { position: 'absolute', top, left, width, bottom: 'auto', right: 'auto' }),
    };
  };
  onUndo(() => {
    own.remove(() => undefined);
    safe(found.element).scrollTo({ left, top, behavior: 'instant' });
    return true;
  });
  const style = getComputedStyle(found.element);
  const height = parseFloat(style.height);
  // One px more than is captured, so that `truncated` is reported.
  const most = Math.max(height, maxHeight + 1);
  const least = Math.min(height + found.hidden, most);
  const limits = { 'min-height': `${least}px`, 'max-height': `${most}px`, 'overflow-y': 'hidden' };
  own.set(found.element, { ...freed(found.element, style), ...limits });
  for (let each = parentOf(found.element); each; each = parentOf(each)) {
    const around = getComputedStyle(each);
    const overflow = `${around.overflowX === 'visible' ? 'visible' : 'clip'} visible`;
    own.set(each, { ...freed(each, around), 'min-height': around.height, 'max-height': 'none', overflow });
  }
}

/**
 * Runs in the page. Undoes the expansion when the page has not grown by it. Otherwise forwards scroll events of the page to the
 * container, whose listeners would no longer run. Returns whether it has grown.
 */
function keepOrUndo({ mark, maxHeight }: { mark: string; maxHeight: number }, safe: SafeAccess): boolean {
  const found = (globalThis as unknown as World)[Symbol.for('scroller')];
  const page = safe(document);
  const root = (page.scrollingElement ?? page.documentElement) as Element | null;
  if (!found || !root) return false;
  const grown = safe(root).scrollHeight - window.innerHeight;
  if (grown >= Math.min(found.hidden, maxHeight - window.innerHeight) / 2) {
    const forward = (): boolean => safe(found.element).dispatchEvent(new Event('scroll'));
    window.addEventListener('scroll', forward);
    onUndo(() => {
      window.removeEventListener('scroll', forward);
      return true;
    });
    return true;
  }
  for (
    let each: Node | null = found.element;
    each;
    each = safe(each).parentNode ?? (each as Partial<ShadowRoot>).host ?? null
  ) {
    if (each instanceof Element) safe(each).removeAttribute(mark);
  }
  return false;
}
