import type { SafeAccess } from '../pipeline/in-page.js';
import type { DialogControl, DialogControls } from './dialog-controls.js';
import type { DialogWords } from './dialog-words.js';
import type { Floating, FloatingElements } from './floating-elements.js';

/** A floating element with what lies over the page because of it. */
export interface Covering extends Floating {
  /** The cells of the grid over the window that it paints itself. */
  readonly cells: ReadonlySet<number>;
  /** Elements that only dim the page. */
  readonly shades: readonly Element[];
}

/** `page`: it is, or holds, a part of the page. `leave`: it is a dialog that is not to be closed. */
export type OverlayVerdict = 'page' | 'leave' | { readonly control: HTMLElement | undefined };

/**
 * Runs in the page: decides whether a large floating element is an overlay that a visitor would close, or a part of the page.
 * In doubt it is a part of the page.
 *
 * The class is sent as text, so that it refers to nothing but its arguments and the browser.
 */
export class OverlaySigns {
  constructor(
    private readonly safe: SafeAccess,
    private readonly floats: FloatingElements,
    private readonly controls: DialogControls,
    private readonly words: DialogWords,
  ) {}

  judge(covering: Covering): OverlayVerdict {
    const { element } = covering;
    if (!this.isUppermost(covering) || this.isMainContent(element)) return 'page';
    const controls = this.controls.find(element);
    if (this.controls.asksForConsent(element, controls) || this.isGate(element, controls)) return 'leave';
    if (!this.coversContent(covering)) return 'page';
    const control = this.closingControl(element, controls);
    return control || this.isModal(covering) ? { control } : 'page';
  }

  /** Whether most of what it paints is not below anything else. */
  private isUppermost({ element, cells }: Covering): boolean {
    const all = [...cells];
    const sample = all.filter((_, index) => index % Math.ceil(all.length / 12) === 0);
    const onTop = sample.filter((cell) =>
      this.floats.contains(element, this.floats.hit(...this.floats.pointOf(cell))),
    );
    return onTop.length > sample.length * 0.6;
  }

  /** What the visitor has come for: an app, a menu, a picture that the address opens. */
  private isMainContent(element: Element): boolean {
    const MAX_WORDS = 1_500;
    const MAX_LINKS = 10;
    const parts =
      'main, [role="main"], article, nav, [role="navigation"], [role="search"], input[type="search"]';
    const inside = this.floats.shownIn(element, 1_500);
    if (inside.some((each) => this.safe(each).matches(parts) && this.floats.isVisible(each))) return true;
    const links = inside.filter((each) => each instanceof HTMLAnchorElement && this.floats.isVisible(each));
    if (links.length > MAX_LINKS || this.floats.wordsOf(element, MAX_WORDS + 1).length > MAX_WORDS)
      return true;
    return this.isOpenedByAddress(element) || this.isTitled(inside);
  }

  /** The fragment of the address opens it, unless it names a place elsewhere in the page. */
  private isOpenedByAddress(element: Element): boolean {
    const name = location.hash.slice(1);
    if (name === '') return false;
    const target = this.safe(document).querySelector(':target');
    return target === null || this.floats.contains(element, target);
  }

  /** It is what the title of the page, or its picture, stands for. */
  private isTitled(inside: readonly Element[]): boolean {
    const page = this.safe(document);
    const contentOf = (name: string): string =>
      this.safe(page.head).querySelector(`meta[property="${name}"]`)?.getAttribute('content') ?? '';
    const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();
    const titles = [page.title, contentOf('og:title')].map((each) =>
      plain(each.split(/ [|–—·:-] /)[0] ?? ''),
    );
    const headings = inside.filter((each) => this.safe(each).matches('h1, h2, h3, figcaption'));
    const isHeading = headings.some((each) => {
      const heading = plain(this.floats.wordsOf(each, 300));
      return heading.length >= 8 && titles.some((title) => title.length >= 8 && title === heading);
    });
    const pictures = inside.filter((each) => each instanceof HTMLImageElement);
    const shared = contentOf('og:image');
    return isHeading || (shared !== '' && pictures.some((each) => this.safe(each).currentSrc === shared));
  }

  /**
   * A log-in, a paywall, an age gate or a bot check: the site has decided that they stand before its content. The words are
   * those that they have and a newsletter has not.
   */
  private isGate(element: Element, controls: readonly DialogControl[]): boolean {
    const inside = this.floats.shownIn(element, 1_500);
    const gates =
      'input[type="password"], input[autocomplete~="current-password"], iframe[src*="captcha"], iframe[src*="challenges."], iframe[src*="accounts.google"]';
    if (inside.some((each) => this.safe(each).matches(gates))) return true;
    const text = this.floats.wordsOf(element, 3_000);
    return this.words.isGate(text) || controls.some((each) => this.words.isLogIn(each.text));
  }

  /** Whether words or pictures of the page lie below it, and at least as many as lie above. */
  private coversContent({ element, cells, shades }: Covering): boolean {
    const MIN_WEIGHT = 15;
    const covers = [element, ...shades];
    let [below, above, pieces] = [0, 0, 0];
    const weigh = (box: DOMRect, weight: number): boolean => {
      const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      const isInWindow =
        box.width > 1 && box.height > 1 && x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
      if (!isInWindow) return true;
      pieces += 1;
      const upper = this.floats.hit(x, y);
      if (covers.some((each) => this.floats.contains(each, upper))) below += weight;
      else if (shades.length > 0 || cells.has(this.floats.cellAt(x, y))) above += weight;
      return pieces < 200 && below - above < 500;
    };
    this.eachPiece(covers, weigh);
    return below >= MIN_WEIGHT && below >= above;
  }

  /** Calls `use` with the boxes of texts and pictures outside these elements, until it returns false. */
  private eachPiece(without: readonly Element[], use: (box: DOMRect, weight: number) => boolean): void {
    const LIMITS = { nodes: 20_000, ms: 60 };
    const PICTURE_WEIGHT = 50;
    const until = performance.now() + LIMITS.ms;
    const range = this.safe(document).createRange();
    const roots: Node[] = [document];
    const accept = (node: Node): number => {
      if (!(node instanceof Element)) return NodeFilter.FILTER_ACCEPT;
      if (without.includes(node) || getComputedStyle(node).display === 'none')
        return NodeFilter.FILTER_REJECT;
      const { shadowRoot } = this.safe(node);
      if (shadowRoot) roots.push(shadowRoot);
      return this.safe(node).matches('img, video, canvas, svg, iframe')
        ? NodeFilter.FILTER_ACCEPT
        : NodeFilter.FILTER_SKIP;
    };
    let left = LIMITS.nodes;
    for (let next = 0; next < Math.min(roots.length, 200); next += 1) {
      const what = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
      const walker = this.safe(document).createTreeWalker(roots[next] ?? document, what, accept);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        left -= 1;
        if (left < 0 || (left % 64 === 0 && performance.now() > until)) return;
        const isText = node instanceof Text;
        const weight = isText ? (node as Text).data.trim().length : PICTURE_WEIGHT;
        if (weight === 0) continue;
        if (isText) range.selectNodeContents(node);
        const box = isText
          ? range.getBoundingClientRect()
          : this.safe(node as Element).getBoundingClientRect();
        if (!use(box, weight)) return;
      }
    }
  }

  private isModal({ element, layer }: Covering): boolean {
    if (layer === 'dialog') return true;
    const parts = '[aria-modal="true"], dialog[open], [role="dialog"], [role="alertdialog"]';
    return this.safe(element).matches(parts) || this.safe(element).querySelector(parts) !== null;
  }

  /** The control that closes it as a whole: it says so, or is an icon in a corner at its top. */
  private closingControl(element: Element, controls: readonly DialogControl[]): HTMLElement | undefined {
    const all = [...controls.map((each) => each.element), ...this.namedClosers(element)];
    // "No, thanks" declines what the overlay offers.
    const answers = ['close', 'reject'] as const;
    const closing = answers.flatMap((wanted) =>
      controls.filter(({ answer }) => answer === wanted).map((each) => each.element),
    );
    const named = all.filter((each) => this.isNamedClose(each));
    const icons = controls.filter(({ text }) => text === '').map((each) => each.element);
    const inCorner = icons.filter((each) => this.isInCorner(each, element));
    return [...closing, ...named, ...inCorner].find((each) => this.closesAll(each, element));
  }

  /** Elements that are no buttons by themselves, but have a name such as `popup__close`. */
  private namedClosers(element: Element): HTMLElement[] {
    const MAX_SIDE = 80;
    return this.floats.shownIn(element, 1_500).filter((each) => {
      if (!(each instanceof HTMLElement) || !this.isNamedClose(each) || !this.floats.isVisible(each))
        return false;
      const { width, height } = this.safe(each).getBoundingClientRect();
      return width > 4 && height > 4 && width <= MAX_SIDE && height <= MAX_SIDE;
    }) as HTMLElement[];
  }

  private isNamedClose(element: HTMLElement): boolean {
    const own = this.safe(element);
    const names = [
      'class',
      'id',
      'aria-label',
      'title',
      'data-testid',
      'data-action',
      'name',
      'value',
      'command',
    ];
    const closes = names.some((name) =>
      /(^|[^a-z])(close|closer|dismiss)([^a-z]|$)|[a-z](Close|Dismiss)([^a-z]|$)|(^|[^a-zA-Z])(close|dismiss)[A-Z]/.test(
        own.getAttribute(name)?.slice(0, 300) ?? '',
      ),
    );
    return (
      closes ||
      own.matches(
        '[data-dismiss], [data-bs-dismiss], [data-close], [data-fancybox-close], [data-micromodal-close]',
      )
    );
  }

  private isInCorner(control: HTMLElement, element: Element): boolean {
    const NEAR = 70;
    const { left, right, top, width, height } = this.safe(control).getBoundingClientRect();
    if (width > 64 || height > 64) return false;
    const box = this.floats.boxOf(element);
    const isAtSide = left - box.x < NEAR || box.x + box.width - right < NEAR;
    return isAtSide && top - box.y < NEAR;
  }

  /** Whether the box that the control closes holds most of the words: it is not that of a part, such as a message in a chat. */
  private closesAll(control: HTMLElement, element: Element): boolean {
    const all = this.floats.wordsOf(element, 1_500).length;
    for (let node: Node | null = control; node && node !== element; node = this.floats.parentOf(node)) {
      if (!(node instanceof HTMLElement) || node === control) continue;
      const { width, height } = this.safe(node).getBoundingClientRect();
      const isBox = width > 150 && height > 80 && this.floats.hasBackground(node);
      if (isBox) return this.floats.wordsOf(node, 1_500).length >= all * 0.6;
    }
    return true;
  }
}
