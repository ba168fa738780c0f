import type { SafeAccess } from '../pipeline/in-page.js';

/** Runs in the page. Whether something that matches one of the selectors is displayed. */
export function isDisplayed(selectors: readonly string[], safe: SafeAccess): boolean {
  const MAX_ELEMENTS = 300;
  const hasBox = (element: Element): boolean => {
    const { width, height } = safe(element).getBoundingClientRect();
    return (
      width > 0 &&
      height > 0 &&
      safe(element).checkVisibility({ visibilityProperty: true, opacityProperty: true })
    );
  };
  // The root of a dialog may have no height, because all in it is positioned.
  const isShown = (element: Element): boolean =>
    hasBox(element) || [...safe(element).querySelectorAll('*')].slice(0, MAX_ELEMENTS).some(hasBox);
  return selectors.some((selector) =>
    [...safe(document).querySelectorAll(selector)].slice(0, 20).some(isShown),
  );
}

/**
 * Runs in the page. Hides what matches, also when the page puts it there again. An adopted style sheet is not subject to the
 * page's Content-Security-Policy and leaves its elements as they are; only an element that shows itself by an important
 * inline style is changed.
 *
 * @returns whether the document shows nothing now
 */
export function hideMatches(selectors: readonly string[], safe: SafeAccess): boolean {
  const page = safe(document);
  const isPart = (selector: string): boolean =>
    [...page.querySelectorAll(selector)].every((element) => !element.contains(page.body));
  const parts = selectors.filter(isPart);
  const sheet = new CSSStyleSheet();
  // Important rules of a layer win against important rules of the page outside a layer, whatever their selectors.
  sheet.replaceSync(`@layer { ${parts.map((each) => `${each} { display: none !important }`).join('\n')} }`);
  page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet];
  for (const element of parts.flatMap((selector) => [...page.querySelectorAll<HTMLElement>(selector)])) {
    if (getComputedStyle(element).display !== 'none')
      element.style.setProperty('display', 'none', 'important');
  }
  return safe(page.body).innerText.trim() === '' && !page.querySelector('img, video, canvas, svg, iframe');
}

/** Runs in the page. Undoes what keeps the root and the body from scrolling. */
export function liftScrollLock(_: null, safe: SafeAccess): void {
  const { documentElement: root, body } = safe(document);
  for (const element of [root, body as HTMLElement | null]) {
    if (!(element instanceof HTMLElement)) continue;
    const { overflowX, overflowY, position } = getComputedStyle(element);
    const set = (name: string, value: string): void =>
      safe(element).style.setProperty(name, value, 'important');
    if (['hidden', 'clip'].includes(overflowY)) {
      set('overflow-y', 'visible');
      // Otherwise the element would scroll instead of the window.
      if (overflowX === 'hidden') set('overflow-x', 'clip');
    }
    if (position !== 'fixed') continue;
    set('position', 'static');
    set('inset', 'auto');
    set('width', 'auto');
  }
}

export interface WindowSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Runs in the page. Undoes what makes the content inert behind a dialog, and hides what is left of a backdrop. Returns the size
 * of the window.
 */
export function uncoverContent(_: null, safe: SafeAccess): WindowSize {
  const page = safe(document);
  const covers = (element: Element, share: number): boolean => {
    const { left, top, right, bottom } = safe(element).getBoundingClientRect();
    const width = Math.min(right, window.innerWidth) - Math.max(left, 0);
    const height = Math.min(bottom, window.innerHeight) - Math.max(top, 0);
    return width > 0 && height > 0 && width * height >= share * window.innerWidth * window.innerHeight;
  };
  const silenced = page.querySelectorAll('body > :is([inert], [aria-hidden="true"]), body > * > [inert]');
  // Smaller ones are parts of a carousel or the like.
  for (const element of [...silenced].slice(0, 50).filter((each) => covers(each, 0.3))) {
    safe(element).removeAttribute('inert');
    if (safe(element).textContent.trim() !== '') safe(element).removeAttribute('aria-hidden');
  }
  const isBackdrop = (element: HTMLElement): boolean => {
    const { position, backgroundColor, backdropFilter } = getComputedStyle(element);
    const alpha = Number(/^rgba\(.*,\s*([\d.]+)\)$/.exec(backgroundColor)?.[1] ?? 1);
    const isEmpty =
      !element.querySelector('img, video, canvas, iframe, svg') && element.innerText.trim() === '';
    const dims = (alpha > 0 && alpha < 1) || backdropFilter !== 'none';
    return position === 'fixed' && dims && isEmpty && covers(element, 0.95);
  };
  for (let count = 0; count < 3; count += 1) {
    const front = page.elementFromPoint(window.innerWidth / 2, window.innerHeight / 2);
    if (!(front instanceof HTMLElement) || !isBackdrop(front)) break;
    front.style.setProperty('display', 'none', 'important');
  }
  return { width: window.innerWidth, height: window.innerHeight };
}
