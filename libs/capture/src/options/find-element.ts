import type { Bare } from '../pipeline/in-page.js';

/**
 * Functions that run in the page: each is sent as its own source and can use nothing around it. A selector that the
 * browser does not know matches nothing.
 */

/**
 * Scrolls to the first match and says where a mouse meets it: `nowhere` without a match, `covered` when it has no box
 * or something else lies over its middle.
 */
export function placeToClick(selector: string, bare: Bare): { x: number; y: number } | 'covered' | 'nowhere' {
  let element: Element | null = null;
  try {
    element = bare(document).querySelector(selector);
  } catch {
    // Not a selector of this browser.
  }
  if (!element) return 'nowhere';
  bare(element).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { left, top, width, height } = bare(element).getBoundingClientRect();
  const x = left + width / 2;
  const y = top + height / 2;
  const met = bare(document).elementFromPoint(x, y);
  return met && (element === met || bare(element).contains(met)) ? { x, y } : 'covered';
}

/** What lies over an element has no say in what its click does. */
export function clickByScript(selector: string, bare: Bare): void {
  const element = bare(document).querySelector(selector);
  if (element instanceof HTMLElement) bare(element).click();
  else if (element) bare(element).dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
}

/** Whether there was an element to scroll to. */
export function scrollIntoView(selector: string, bare: Bare): boolean {
  try {
    const element = bare(document).querySelector(selector);
    if (element) bare(element).scrollIntoView({ block: 'start', inline: 'nearest', behavior: 'instant' });
    return element !== null;
  } catch {
    return false;
  }
}
