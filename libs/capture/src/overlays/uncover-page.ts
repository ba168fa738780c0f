import type { SafeAccess } from '../pipeline/in-page.js';

/** Runs in the page. Hides an element whatever the style sheets of the page say. */
export function hideElement(element: HTMLElement | SVGElement, safe: SafeAccess): void {
  const set = (name: string, value: string): void =>
    safe(element).style.setProperty(name, value, 'important');
  const isDisplayed = (): boolean => getComputedStyle(element).display !== 'none';
  if (isDisplayed()) set('display', 'none');
  if (!isDisplayed()) return;
  // An important rule in the shadow root of an element wins against all rules outside.
  set('visibility', 'hidden');
  set('opacity', '0');
  set('clip-path', 'inset(100%)');
}

/**
 * Runs in the page. Closes a modal dialog that is hidden: it would keep the rest of the page inert. The page is not notified,
 * because nobody has answered.
 */
export function closeSilently(element: Element, safe: SafeAccess): void {
  if (!(element instanceof HTMLDialogElement) || !safe(element).matches(':modal')) return;
  const silence = (event: Event): void => {
    if (event.target === element) event.stopImmediatePropagation();
  };
  // Before the listeners of the page.
  for (const type of ['close', 'beforetoggle', 'toggle'])
    window.addEventListener(type, silence, { capture: true });
  safe(element).close();
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
    const { position, backgroundColor, backdropFilter, opacity } = getComputedStyle(element);
    const alpha = Number(/^rgba\(.*,\s*([\d.]+)\)$/.exec(backgroundColor)?.[1] ?? 1);
    const isEmpty =
      !element.querySelector('img, video, canvas, iframe, svg') && element.innerText.trim() === '';
    const dims = (alpha * Number(opacity) > 0 && alpha * Number(opacity) < 1) || backdropFilter !== 'none';
    return position === 'fixed' && dims && isEmpty && covers(element, 0.95);
  };
  /** In the middle of the window, also within shadow roots. */
  const uppermost = (root: Document | ShadowRoot, depth = 0): Element | null => {
    const element = safe<Document | ShadowRoot>(root).elementFromPoint(
      window.innerWidth / 2,
      window.innerHeight / 2,
    );
    const inner = element ? safe(element).shadowRoot : null;
    return (inner && depth < 20 && uppermost(inner, depth + 1)) || element;
  };
  for (let count = 0; count < 3; count += 1) {
    const front = uppermost(document);
    if (!(front instanceof HTMLElement) || !isBackdrop(front)) break;
    safe(front).style.setProperty('display', 'none', 'important');
  }
  return { width: window.innerWidth, height: window.innerHeight };
}
