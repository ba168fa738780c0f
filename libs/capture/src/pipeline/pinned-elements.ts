import type { Visit } from './family.js';
import { inPage, type Bare } from './in-page.js';
import { poll, WaitRanOutError } from './patience.js';

/** How long elements that appear or vanish are awaited: a fade takes some 400 ms. */
const REST_MS = 1_000;

/**
 * Takes elements pinned to the window (`position: fixed`, and `sticky` where it sticks) off it: `top` leaves them
 * where they are at the top of the page, `hide` makes them invisible. The rest of the page does not move.
 */
export async function unpin(visit: Visit, how: 'top' | 'hide'): Promise<void> {
  // What they look like at the top of the page is known once they have reacted to the way back there.
  if (how === 'top') await pinnedAtRest(visit);
  await inPage(visit, unpinAll, how);
}

/** Waits, in bounded time, until pinned elements neither fade nor move: two looks in a row are alike. */
async function pinnedAtRest(visit: Visit): Promise<void> {
  let last: string | undefined;
  const until = performance.now() + Math.min(REST_MS, visit.remainingMs() / 3);
  try {
    await poll(visit, { until, otherwise: 'pinned elements' }, async () => {
      const now = await inPage(visit, lookOfPinned, null);
      const isAtRest = now === '' || now === last;
      last = now;
      return isAtRest;
    });
  } catch (error) {
    if (!(error instanceof WaitRanOutError)) throw error;
  }
}

/** Runs in the page: a summary of how pinned elements look. */
function lookOfPinned(_: null, bare: Bare): string {
  const elementsOf = (root: ParentNode): Element[] =>
    [...root.querySelectorAll('*')].flatMap((element) => {
      const { shadowRoot } = bare(element);
      return shadowRoot ? [element, ...elementsOf(shadowRoot)] : [element];
    });
  const looks = elementsOf(bare(document)).flatMap((element) => {
    const { position, opacity, visibility, display } = getComputedStyle(element);
    if (position !== 'fixed') return [];
    const { top, left, width, height } = bare(element).getBoundingClientRect();
    return [[opacity, visibility, display, top, left, width, height].join()];
  });
  // A page may pin any number of elements; what is sent is short.
  let sum = 0;
  for (const char of looks.join(';')) sum = (sum * 31 + char.charCodeAt(0)) % 1_000_000_007;
  return looks.length === 0 ? '' : `${looks.length} ${sum}`;
}

/**
 * Runs in the page. Each style is set twice. The element's own `style` beats every rule of the page, yet a script that fades
 * the element overwrites it. A style sheet of ours stands by then: what a script sets is not `!important`.
 */
function unpinAll(how: 'top' | 'hide', bare: Bare): void {
  const mark = `data-pinned-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
  const sheets = new Map<Node, CSSStyleSheet>();
  const sheetOf = (element: Element): CSSStyleSheet => {
    const root = bare(element).getRootNode() as Document | ShadowRoot;
    const sheet = sheets.get(root) ?? new CSSStyleSheet();
    if (!sheets.has(root)) bare(root).adoptedStyleSheets = [...bare(root).adoptedStyleSheets, sheet];
    sheets.set(root, sheet);
    return sheet;
  };
  // Each rule costs a look at the styles of the page: a page that pins without measure gets no more of them.
  const maxRules = 500;
  let count = 0;
  const important = (element: HTMLElement, styles: Record<string, string>): void => {
    // Elements of XML may be pinned by a style sheet, yet have no styles of their own.
    const style = bare(element).style as CSSStyleDeclaration | undefined;
    for (const [name, value] of Object.entries(styles)) style?.setProperty(name, value, 'important');
    count += 1;
    if (count > maxRules) return;
    const selector = `[${mark}~="${count}"]`;
    bare(element).setAttribute(mark, `${bare(element).getAttribute(mark) ?? ''} ${count}`);
    const rules = Object.entries(styles).map(([name, value]) => `${name}: ${value} !important`);
    const sheet = sheetOf(element);
    // More specific than rules of the page are.
    sheet.insertRule(`${selector.repeat(5)} { ${rules.join('; ')} }`, sheet.cssRules.length);
  };
  const elementsOf = (root: ParentNode): HTMLElement[] =>
    [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => {
      const { shadowRoot } = bare(element);
      return shadowRoot ? [element, ...elementsOf(shadowRoot)] : [element];
    });
  const sticks = (element: HTMLElement, style: CSSStyleDeclaration): boolean => {
    const { top, bottom } = bare(element).getBoundingClientRect();
    const isAt = (edge: number, inset: string): boolean => Math.abs(edge - parseFloat(inset)) < 1;
    return isAt(top, style.top) || isAt(window.innerHeight - bottom, style.bottom);
  };
  const toPage = (element: HTMLElement): void => {
    const { top, left, width, height } = bare(element).getBoundingClientRect();
    const { opacity } = getComputedStyle(element);
    const size = { width: `${width}px`, height: `${height}px`, 'box-sizing': 'border-box', margin: '0px' };
    const place = { position: 'absolute', inset: '0px auto auto 0px', transition: 'none', opacity };
    important(element, { ...size, ...place });
    // Absolute is counted from the nearest positioned ancestor, which need not be the page.
    const origin = bare(element).getBoundingClientRect();
    important(element, {
      top: `${top - origin.top - window.scrollY}px`,
      left: `${left - origin.left - window.scrollX}px`,
    });
  };

  for (const element of elementsOf(bare(document))) {
    const style = getComputedStyle(element);
    const { position } = style;
    if (position !== 'fixed' && position !== 'sticky') continue;
    const pinned = position === 'fixed' || sticks(element, style);
    if (how === 'hide' && pinned) important(element, { opacity: '0', transition: 'none' });
    else if (position === 'sticky') important(element, { position: 'relative', inset: 'auto' });
    else toPage(element);
  }
}
