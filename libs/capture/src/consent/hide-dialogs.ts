import { closeSilently, hideElement } from '../overlays/uncover-page.js';
import type { SafeAccess } from '../pipeline/in-page.js';

/** Elements of dialogs that no selector names, because they are in a shadow root. Kept in the isolated world of a document. */
type KeptDialogs = Record<symbol, ReadonlySet<Element> | undefined>;

/** Runs in the page. Whether there are dialogs that no selector names. */
export function hasKeptDialogs(): boolean {
  return ((globalThis as unknown as KeptDialogs)[Symbol.for('dialogs')]?.size ?? 0) > 0;
}

/** Runs in the page. Whether something that matches one of the selectors is displayed. */
export function isDisplayed(selectors: readonly string[], safe: SafeAccess): boolean {
  const MAX_ELEMENTS = 300;
  const isFixed = (element: Element | null): boolean => {
    for (let each = element; each; each = safe(each).parentElement)
      if (getComputedStyle(each).position === 'fixed') return true;
    return false;
  };
  const hasBox = (element: Element): boolean => {
    const { width, height, top, left, right, bottom } = safe(element).getBoundingClientRect();
    if (width === 0 || height === 0) return false;
    if (!safe(element).checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    // A dialog may slide out of the window. The rest of the page can be scrolled into it.
    const isInWindow = bottom > 0 && right > 0 && top < window.innerHeight && left < window.innerWidth;
    return isInWindow || !isFixed(element);
  };
  const partsOf = (root: ParentNode): Element[] =>
    [...root.querySelectorAll('*')].slice(0, MAX_ELEMENTS).flatMap((part) => [part, ...shadowPartsOf(part)]);
  const shadowPartsOf = (element: Element): Element[] => {
    const { shadowRoot } = safe(element);
    return shadowRoot ? partsOf(shadowRoot).slice(0, MAX_ELEMENTS) : [];
  };
  // The root of a dialog may have no height, because all in it is positioned.
  const isShown = (element: Element): boolean =>
    hasBox(element) || partsOf(element).some(hasBox) || shadowPartsOf(element).some(hasBox);
  const kept = (globalThis as unknown as KeptDialogs)[Symbol.for('dialogs')] ?? new Set();
  return (
    [...kept].some((element) => safe(element).isConnected && isShown(element)) ||
    selectors.some((selector) => [...safe(document).querySelectorAll(selector)].slice(0, 20).some(isShown))
  );
}

/**
 * Runs in the page. Hides what matches, also when the page puts it there again. An adopted style sheet is not subject to the
 * page's Content-Security-Policy and leaves its elements as they are; only an element that shows itself by an important
 * inline style is changed.
 *
 * @returns whether the document shows nothing now, or is the dialog as a whole
 */
export function hideMatches(selectors: readonly string[], safe: SafeAccess): boolean {
  const page = safe(document);
  const holdsAll = (selector: string): boolean =>
    [...page.querySelectorAll(selector)].some((element) => element.contains(page.body));
  const parts = selectors.filter((selector) => !holdsAll(selector));
  const sheet = new CSSStyleSheet();
  // Important rules of a layer win against important rules of the page outside a layer, whatever their selectors.
  sheet.replaceSync(`@layer { ${parts.map((each) => `${each} { display: none !important }`).join('\n')} }`);
  page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet];
  const kept = (globalThis as unknown as KeptDialogs)[Symbol.for('dialogs')] ?? new Set();
  const matches = parts.flatMap((selector) => [...page.querySelectorAll(selector)]);
  for (const element of [...matches, ...kept]) {
    if (!(element instanceof HTMLElement)) continue;
    hideElement(element, safe);
    closeSilently(element, safe);
  }
  if (parts.length < selectors.length) return true;
  return safe(page.body).innerText.trim() === '' && !page.querySelector('img, video, canvas, svg, iframe');
}
