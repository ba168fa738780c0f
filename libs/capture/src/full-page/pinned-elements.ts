import { randomUUID } from 'node:crypto';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { InlineStyles } from './inline-styles.js';
import { OwnRules } from './own-rules.js';
import { onUndo } from './page-undo.js';
import { poll, WaitTimeoutError } from '../pipeline/wait.js';

/** Maximum wait for elements that fade in or out, which takes about 400 ms. */
const REST_MS = 1_000;
/** Each rule makes the page compute its styles again, and a page may pin any number of elements. */
const MAX_RULES = 500;

/**
 * Detaches elements that are pinned to the window (`position: fixed`, and `sticky` while it sticks): `top` keeps them at
 * their place at the top of the page, `hide` makes them invisible. The rest of the page does not move. `undoChanges` undoes it.
 */
export async function detachPinned(visit: Visit, how: 'top' | 'hide'): Promise<void> {
  // Elements may still react to the scroll back to the top.
  if (how === 'top') await waitForPinnedAtRest(visit);
  const detach = { run: detachAll, uses: [onUndo, OwnRules, InlineStyles] };
  await inPage(visit, detach, { how, mark: `data-${randomUUID()}`, maxRules: MAX_RULES });
}

/** Waits, for a bounded time, until pinned elements neither fade nor move: two looks in a row are equal. */
async function waitForPinnedAtRest(visit: Visit): Promise<void> {
  let last: string | undefined;
  const until = performance.now() + Math.min(REST_MS, visit.remainingMs() / 3);
  try {
    await poll(visit, { until, message: 'pinned elements' }, async () => {
      const now = await inPage(visit, lookOfPinned, null);
      const isAtRest = now === '' || now === last;
      last = now;
      return isAtRest;
    });
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
  }
}

/** Runs in the page. Returns a checksum of how pinned elements look. */
function lookOfPinned(_: null, safe: SafeAccess): string {
  const elementsOf = (root: ParentNode): Element[] =>
    [...root.querySelectorAll('*')].flatMap((element) => {
      const { shadowRoot } = safe(element);
      return shadowRoot ? [element, ...elementsOf(shadowRoot)] : [element];
    });
  const looks = elementsOf(safe(document)).flatMap((element) => {
    const { position, opacity, visibility, display } = getComputedStyle(element);
    if (position !== 'fixed') return [];
    const { top, left, width, height } = safe(element).getBoundingClientRect();
    return [[opacity, visibility, display, top, left, width, height].join()];
  });
  // A page may pin any number of elements; the checksum stays short.
  let sum = 0;
  for (const char of looks.join(';')) sum = (sum * 31 + char.charCodeAt(0)) % 1_000_000_007;
  return looks.length === 0 ? '' : `${looks.length} ${sum}`;
}

interface DetachRequest {
  readonly how: 'top' | 'hide';
  /** Attribute by which the style rules find their elements. */
  readonly mark: string;
  readonly maxRules: number;
}

/**
 * Runs in the page. Each style is set twice. The element's own `style` beats every rule of the page, but a script that fades
 * the element overwrites it. Our style sheet holds then, because what a script sets is not `!important`.
 */
function detachAll({ how, mark, maxRules }: DetachRequest, safe: SafeAccess): void {
  const [rules, inline] = [new OwnRules(mark, maxRules, safe), new InlineStyles(safe)];
  onUndo(() => {
    rules.remove(() => {
      inline.restore();
    });
    return false;
  });
  const important = (element: HTMLElement, styles: Record<string, string>): void => {
    inline.set(element, styles);
    rules.set(element, styles);
  };
  const elementsOf = (root: ParentNode): HTMLElement[] =>
    [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => {
      const { shadowRoot } = safe(element);
      return shadowRoot ? [element, ...elementsOf(shadowRoot)] : [element];
    });
  const sticks = (element: HTMLElement, style: CSSStyleDeclaration): boolean => {
    const { top, bottom } = safe(element).getBoundingClientRect();
    const gaps = [top - parseFloat(style.top), window.innerHeight - bottom - parseFloat(style.bottom)];
    return gaps.some((gap) => Math.abs(gap) < 1);
  };
  const toPage = (element: HTMLElement, { opacity }: CSSStyleDeclaration): void => {
    const { top, left, width, height } = safe(element).getBoundingClientRect();
    const size = { width: `${width}px`, height: `${height}px`, 'box-sizing': 'border-box', margin: '0px' };
    const place = { ...size, position: 'absolute', inset: '0px auto auto 0px', transition: 'none', opacity };
    important(element, place);
    // An absolute position is relative to the nearest positioned ancestor, which need not be the page.
    const origin = safe(element).getBoundingClientRect();
    const [y, x] = [top - origin.top - window.scrollY, left - origin.left - window.scrollX];
    important(element, { ...place, inset: `${y}px auto auto ${x}px` });
  };
  for (const element of elementsOf(safe(document))) {
    const style = getComputedStyle(element);
    const isPinned = style.position === 'fixed' || (style.position === 'sticky' && sticks(element, style));
    if (how === 'hide' && isPinned) important(element, { opacity: '0', transition: 'none' });
    else if (style.position === 'sticky') important(element, { position: 'relative', inset: 'auto' });
    else if (isPinned) toPage(element, style);
  }
}
