import { randomUUID } from 'node:crypto';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { OwnRules } from '../pipeline/own-rules.js';
import { onUndo } from '../pipeline/page-undo.js';
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

/** Runs in the page: sets the own styles of elements, and what they were before. */
class InlineStyles {
  private readonly before = new Map<HTMLElement, Map<string, readonly [value: string, priority: string]>>();
  private readonly without = new Set<HTMLElement>();

  constructor(private readonly safe: SafeAccess) {}

  set(element: HTMLElement, styles: Record<string, string>): void {
    const style = this.styleOf(element);
    if (!style) return;
    const known = this.before.get(element) ?? new Map<string, readonly [string, string]>();
    if (!this.before.has(element) && !this.safe(element).hasAttribute('style')) this.without.add(element);
    this.before.set(element, known);
    for (const name of Object.keys(styles).flatMap((each) => this.partsOf(each))) {
      const value = [style.getPropertyValue(name), style.getPropertyPriority(name)] as const;
      if (!known.has(name)) known.set(name, value);
    }
    for (const [name, value] of Object.entries(styles)) style.setProperty(name, value, 'important');
  }

  restore(): void {
    for (const [element, known] of this.before) {
      const style = this.styleOf(element);
      for (const [name, [value, priority]] of known) style?.setProperty(name, value, priority);
      if (style?.length === 0 && this.without.has(element)) this.safe(element).removeAttribute('style');
    }
  }

  /** XML elements can be pinned by a style sheet but have no `style`. */
  private styleOf(element: HTMLElement): CSSStyleDeclaration | undefined {
    return this.safe(element).style;
  }

  /** A shorthand has no value when the element's own style states only some of its parts. */
  private partsOf(name: string): string[] {
    const sides = ['top', 'right', 'bottom', 'left'];
    if (name === 'inset') return sides;
    if (name === 'margin') return sides.map((side) => `margin-${side}`);
    if (name !== 'transition') return [name];
    const parts = ['property', 'duration', 'timing-function', 'delay', 'behavior'];
    return parts.map((part) => `transition-${part}`);
  }
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
