import type { Visit } from './family.js';
import { inPage, type Bare } from './in-page.js';

/**
 * Takes elements pinned to the window (`position: fixed`, and `sticky` where it sticks) off it: `top` leaves them
 * where they are at the top of the page, `hide` makes them invisible. The rest of the page does not move.
 */
export async function unpin(visit: Visit, how: 'top' | 'hide'): Promise<void> {
  await inPage(visit, unpinAll, how);
}

/** Runs in the page. */
function unpinAll(how: 'top' | 'hide', bare: Bare): void {
  const important = (element: HTMLElement, styles: Record<string, string>): void => {
    // Elements of XML may be pinned by a style sheet, yet have no styles of their own.
    const style = bare(element).style as CSSStyleDeclaration | undefined;
    for (const [name, value] of Object.entries(styles)) style?.setProperty(name, value, 'important');
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
    const size = { width: `${width}px`, height: `${height}px`, 'box-sizing': 'border-box', margin: '0px' };
    important(element, { ...size, position: 'absolute', inset: '0px auto auto 0px', transition: 'none' });
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
