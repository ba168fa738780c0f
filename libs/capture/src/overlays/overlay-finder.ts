import type { SafeAccess } from '../pipeline/in-page.js';
import type { Floating, FloatingElements, WindowBox } from './floating-elements.js';
import type { OverlaySigns } from './overlay-signs.js';
import { closeSilently, hideElement } from './uncover-page.js';

/** An overlay that a visitor would close. */
export interface FoundOverlay {
  readonly id: number;
  readonly kind: 'dialog' | 'popover' | 'fixed';
  readonly label: string;
  readonly box: WindowBox;
  /** Without one, it may close by the Escape key. */
  readonly hasControl: boolean;
}

interface KnownOverlay {
  readonly floating: Floating;
  readonly control: HTMLElement | undefined;
  readonly shades: readonly HTMLElement[];
}

/**
 * Runs in the page, in the isolated world of `inPage`: finds what has come over the page, and closes or hides it.
 *
 * The class is sent as text, so that it refers to nothing but its arguments and the browser.
 */
export class OverlayFinder {
  private readonly known: KnownOverlay[] = [];
  /** Those that stay: there was no way to close them. */
  private readonly kept = new WeakSet<Element>();

  constructor(
    private readonly safe: SafeAccess,
    private readonly floats: FloatingElements,
    private readonly signs: OverlaySigns,
  ) {}

  /**
   * The overlays that are displayed: in the top layer or fixed, and with their backdrop on more than a third of the window. A
   * document with so many floating elements that looking at them takes longer than 400 ms has none.
   */
  find(): FoundOverlay[] {
    const [MAX, MAX_MS] = [5, 400];
    const until = performance.now() + MAX_MS;
    const found: FoundOverlay[] = [];
    const floating = this.floats.find().filter(({ layer }) => layer !== 'sticky');
    const shades = floating
      .filter((each) => performance.now() < until && this.isShade(each))
      .map(({ element }) => element);
    let settled: Element | undefined;
    for (const each of floating) {
      const { element } = each;
      if (performance.now() > until) return [];
      if (shades.includes(element) || this.kept.has(element)) continue;
      if (settled && this.floats.contains(settled, element)) continue;
      const cells = this.floats.cellsOf(each);
      const verdict = this.isLarge(cells, shades) ? this.signs.judge({ ...each, cells, shades }) : 'page';
      // What is around an overlay may be the page itself.
      if (verdict === 'page') continue;
      settled = element;
      if (verdict === 'leave' || found.length === MAX) continue;
      this.known.push({ floating: each, control: verdict.control, shades });
      found.push(this.describe(each, verdict.control));
    }
    return found;
  }

  /** Clicks the control of an overlay. No click leaves the page. */
  close(id: number): void {
    const control = this.known[id]?.control;
    if (!control) return;
    const stay = (event: Event): void => {
      const isLeaving = event.type === 'submit' && !this.closesDialog(event.target);
      if (isLeaving || event.composedPath().some((node) => this.leadsElsewhere(node))) event.preventDefault();
    };
    // Before the listeners of the page, which may stop the event.
    for (const type of ['click', 'submit']) window.addEventListener(type, stay, { capture: true });
    this.safe(control).click();
    for (const type of ['click', 'submit']) window.removeEventListener(type, stay, { capture: true });
  }

  /** Whether an overlay still covers something. */
  isOpen(id: number): boolean {
    const overlay = this.known[id];
    if (!overlay) return false;
    const { element } = overlay.floating;
    return this.safe(element).isConnected && this.floats.cellsOf(overlay.floating).size > 0;
  }

  /** Does not display an overlay and what dims the page. */
  hide(id: number): void {
    const overlay = this.known[id];
    if (!overlay) return;
    for (const element of [overlay.floating.element, ...overlay.shades]) {
      hideElement(element, this.safe);
    }
    closeSilently(overlay.floating.element, this.safe);
  }

  /** An overlay that stays is not looked at again. */
  keep(id: number): void {
    const overlay = this.known[id];
    if (overlay) this.kept.add(overlay.floating.element);
  }

  private isShade(each: Floating): boolean {
    return this.floats.shareOf(this.floats.cellsOf(each)) >= 0.9 && !this.floats.holdsContent(each.element);
  }

  private isLarge(cells: ReadonlySet<number>, shades: readonly Element[]): boolean {
    const share = this.floats.shareOf(cells);
    // With a backdrop, a box of its own size; without words it would be a backdrop itself.
    return shades.length > 0 ? share > 0.02 : share > 1 / 3;
  }

  private describe({ element, layer }: Floating, control: HTMLElement | undefined): FoundOverlay {
    return {
      id: this.known.length - 1,
      kind: layer === 'sticky' ? 'fixed' : layer,
      label: this.labelOf(element),
      box: this.floats.boxOf(element),
      hasControl: control !== undefined,
    };
  }

  /** Its name for screen readers, else its heading, else its first words. */
  private labelOf(element: HTMLElement): string {
    const MAX_LENGTH = 80;
    const own = this.safe(element);
    const named = own.matches('[aria-label], [aria-labelledby]')
      ? element
      : own.querySelector('[role="dialog"], dialog, [aria-modal="true"]');
    const label = named ? this.safe(named).getAttribute('aria-label') : null;
    const id = named ? this.safe(named).getAttribute('aria-labelledby') : null;
    const labelling = id === null ? null : this.safe(document).getElementById(id);
    const heading = own.querySelector('h1, h2, h3, h4, [role="heading"]');
    const texts = [
      label ?? '',
      ...[labelling, heading, element].map((each) => (each ? this.floats.wordsOf(each, MAX_LENGTH) : '')),
    ];
    return (
      texts
        .find((text) => text.trim() !== '')
        ?.trim()
        .slice(0, MAX_LENGTH) ?? ''
    );
  }

  /** Whether a form closes the dialog that it is in. */
  private closesDialog(form: EventTarget | null): boolean {
    return form instanceof HTMLFormElement && /^dialog$/i.test(this.safe(form).getAttribute('method') ?? '');
  }

  private leadsElsewhere(node: EventTarget): boolean {
    if (!(node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement)) return false;
    const href = node.getAttribute('href');
    return href !== null && !/^\s*(#|javascript:)/i.test(href);
  }
}
