import { randomUUID } from 'node:crypto';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { OwnRules } from './own-rules.js';
import { onUndo } from './page-undo.js';

/**
 * Expands the main scroll container to its full height, up to `maxHeight` CSS px, in an app that fills the window and scrolls
 * inside. Scrolling through the page then reaches all of its content. Pages that scroll themselves, and small scroll containers
 * such as side bars and code listings, stay as they are. `undoChanges` undoes it.
 *
 * A deck of screens, which a script moves through a window that clips them, counts as a scroll container, too.
 *
 * @returns whether a container was expanded
 */
export async function expandScrollContainer(visit: Visit, maxHeight: number): Promise<boolean> {
  if (!(await inPage(visit, { run: findScroller, uses: [deckIn] }, null))) return false;
  const mark = `data-${randomUUID()}`;
  await inPage(
    visit,
    { run: expandFound, uses: [onUndo, OwnRules, freeHeight, layOut] },
    { mark, maxHeight },
  );
  return inPage(visit, { run: keepOrUndo, uses: [onUndo] }, { mark, maxHeight });
}

/** Kept in the isolated world between two calls, under a symbol: an element's name could shadow a string. */
interface World {
  [key: symbol]:
    | {
        readonly element: Element;
        /** How much of its content is hidden, in CSS px. */
        readonly hidden: number;
        /** The screens of a deck and the elements between them and the container; none of a container that scrolls. */
        readonly deck: readonly Element[];
      }
    | undefined;
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
    const { overflowY } = getComputedStyle(element);
    if (!isSeen || overflowY === 'visible') return false;
    return overflowY === 'auto' || overflowY === 'scroll' || deckIn(element, safe).length > 0;
  };
  const [element] = elementsOf(page)
    .filter(isScroller)
    .sort((one, other) => hiddenOf(other) - hiddenOf(one));
  if (element === undefined) return false;
  const world = globalThis as unknown as World;
  const isClipped = /^(hidden|clip)$/.test(getComputedStyle(element).overflowY);
  const deck = isClipped ? deckIn(element, safe) : [];
  world[Symbol.for('scroller')] = { element, hidden: hiddenOf(element), deck };
  return true;
}

/**
 * Runs in the page. The screens of a deck, one below the other and each about as high as the window, and the elements between them
 * and `container`; empty when it holds no deck. Anything else that a container clips is meant to be hidden.
 */
function deckIn(container: Element, safe: SafeAccess): Element[] {
  const { innerWidth, innerHeight } = window;
  const between: Element[] = [];
  const isScreen = (element: Element): boolean => {
    const { width, height } = safe(element).getBoundingClientRect();
    const isInFlow = /^(static|relative)$/.test(getComputedStyle(element).position);
    return (
      isInFlow && width >= innerWidth * 0.8 && height >= innerHeight * 0.8 && height <= innerHeight * 1.5
    );
  };
  for (let each: Element | undefined = container, depth = 0; each && depth < 5; depth += 1) {
    const children: Element[] = [...safe(each).children].slice(0, 200);
    const screens = children.filter(isScreen);
    const tops = screens.map((screen) => safe(screen).getBoundingClientRect().top);
    const isStacked = tops.every((top, i) => i === 0 || top >= (tops[i - 1] ?? 0) + innerHeight * 0.8);
    if (screens.length >= 2 && isStacked) return [...between, ...screens];
    each = children.find((child) => safe(child).getBoundingClientRect().height >= innerHeight * 0.8);
    if (each) between.push(each);
  }
  return [];
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
    const parent = parentOf(element);
    return freeHeight(style, parent ? getComputedStyle(parent) : style);
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
  const screens = layOut(found.deck, safe);
  own.set(found.element, { ...freed(found.element, style), ...limits });
  for (const [screen, styles] of screens) own.set(screen, styles);
  for (let each = parentOf(found.element); each; each = parentOf(each)) {
    const around = getComputedStyle(each);
    const overflow = `${around.overflowX === 'visible' ? 'visible' : 'clip'} visible`;
    own.set(each, { ...freed(each, around), 'min-height': around.height, 'max-height': 'none', overflow });
  }
}

/** Runs in the page. The styles by which an element with this style, in a parent with that one, is as high as its content. */
function freeHeight(
  { top, left, width, position }: CSSStyleDeclaration,
  around: CSSStyleDeclaration,
): Record<string, string> {
  const isInColumn = around.display.endsWith('flex') && around.flexDirection.startsWith('column');
  const isPlaced = position === 'fixed' || position === 'absolute';
  return {
    height: 'auto',
    contain: 'none',
    transition: 'none',
    'content-visibility': 'visible',
    ...(isInColumn && { flex: '0 0 auto' }),
    ...(isPlaced && { position: 'absolute', top, left, width, bottom: 'auto', right: 'auto' }),
  };
}

/**
 * Runs in the page. The styles that lay out a deck of screens one below the other: their heights may be parts of one that becomes `auto`,
 * and a script has moved them.
 */
function layOut(
  deck: readonly Element[],
  safe: SafeAccess,
): [element: Element, styles: Record<string, string>][] {
  return deck.map((each) => {
    const isScreen = !deck.some((other) => other !== each && safe(each).contains(other));
    const { height } = getComputedStyle(each);
    const styles: Record<string, string> = isScreen
      ? { height, flex: '0 0 auto' }
      : { height: 'auto', transform: 'none' };
    return [each, { ...styles, transition: 'none' }];
  });
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
