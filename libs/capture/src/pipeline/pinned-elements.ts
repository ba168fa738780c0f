import { randomUUID } from 'node:crypto';
import type { Visit } from './family.js';
import { inPage, type SafeAccess } from './in-page.js';
import { poll, WaitTimeoutError } from './wait.js';

/** How long elements that appear or vanish are awaited: a fade takes some 400 ms. */
const REST_MS = 1_000;
/** Each rule costs a look at the styles of the page: one that pins without measure gets no more of them. */
const MAX_RULES = 500;

/**
 * Takes elements pinned to the window (`position: fixed`, and `sticky` where it sticks) off it: `top` leaves them
 * where they are at the top of the page, `hide` makes them invisible. The rest of the page does not move.
 */
export async function unpin(visit: Visit, how: 'top' | 'hide'): Promise<void> {
  // What they look like at the top of the page is known once they have reacted to the way back there.
  if (how === 'top') await pinnedAtRest(visit);
  await inPage(visit, unpinAll, { how, mark: `data-${randomUUID()}`, maxRules: MAX_RULES });
}

/** Waits, in bounded time, until pinned elements neither fade nor move: two looks in a row are alike. */
async function pinnedAtRest(visit: Visit): Promise<void> {
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

/** Runs in the page: a summary of how pinned elements look. */
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
  // A page may pin any number of elements; what is sent is short.
  let sum = 0;
  for (const char of looks.join(';')) sum = (sum * 31 + char.charCodeAt(0)) % 1_000_000_007;
  return looks.length === 0 ? '' : `${looks.length} ${sum}`;
}

interface Unpinning {
  readonly how: 'top' | 'hide';
  /** Attribute by which the rules find their elements. */
  readonly mark: string;
  readonly maxRules: number;
}

/**
 * Runs in the page. Each style is set twice. The element's own `style` beats every rule of the page, yet a script that fades
 * the element overwrites it. A style sheet of ours stands by then: what a script sets is not `!important`.
 */
function unpinAll({ how, mark, maxRules }: Unpinning, safe: SafeAccess): void {
  const sheet = new CSSStyleSheet();
  const important = (element: HTMLElement, styles: Record<string, string>): void => {
    // Elements of XML may be pinned by a style sheet, yet have no styles of their own.
    const style = safe(element).style as CSSStyleDeclaration | undefined;
    for (const [name, value] of Object.entries(styles)) style?.setProperty(name, value, 'important');
    const number = sheet.cssRules.length;
    if (number === maxRules) return;
    const { adoptedStyleSheets } = safe(safe(element).getRootNode() as Document);
    if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
    safe(element).setAttribute(mark, String(number));
    const rules = Object.entries(styles).map((pair) => `${pair.join(': ')} !important`);
    // More specific than most rules of pages.
    sheet.insertRule(`${`[${mark}="${number}"]`.repeat(5)} { ${rules.join('; ')} }`, number);
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
    // Absolute is counted from the nearest positioned ancestor, which need not be the page.
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
