import type { SafeAccess } from './in-page.js';

/** What the window shows of a page. */
interface Content {
  readonly content: 'drawn' | 'empty';
  /** Visible elements that stand for what is still to come. */
  readonly placeholders: readonly Element[];
  /** An animation runs endlessly. */
  readonly isAnimated: boolean;
}

/** A point of the window, and the uppermost element there. */
interface Hit {
  readonly x: number;
  readonly y: number;
  readonly element: Element;
}

/**
 * Runs in the page, in the isolated world of `inPage`. Decides whether the window shows the content of the page, or only that
 * it is loading: nothing, a spinner, a skeleton, a cover. A document may have any number of nodes, so that every list is cut.
 */
export class ContentProbe {
  constructor(private readonly safe: SafeAccess) {}

  /** @param hasChanged The document has changed since it was parsed. */
  look(hasChanged: boolean): Content {
    const endless = this.endlessAnimations();
    const isAnimated = endless.length > 0;
    if (!this.mayChange(hasChanged) || this.isLarge())
      return { content: 'drawn', placeholders: [], isAnimated };
    const hits = this.hits();
    const placeholders = [...this.bareRoots(), ...this.placeholders(endless), ...this.announcements()];
    const isDrawn = this.showsContent(hits, placeholders) && !this.isCovered(hits);
    return { content: isDrawn ? 'drawn' : 'empty', placeholders, isAnimated };
  }

  /** Whether the element takes up at least `minArea` px² and part of the window. */
  isInWindow(element: Element, minArea: number): boolean {
    const target = this.safe(element);
    // An element that is not displayed has no boxes; an image that has not loaded may have an empty one.
    if (target.getClientRects().length === 0) return false;
    const { top, left, bottom, right, width, height } = target.getBoundingClientRect();
    const isNear = bottom >= 0 && right >= 0 && top < innerHeight && left < innerWidth;
    return isNear && width * height >= minArea;
  }

  /** Nothing changes a document without scripts. */
  private mayChange(hasChanged: boolean): boolean {
    const { contentType, scripts, body } = this.safe(document);
    const hasScript = scripts.length > 0 || (body as HTMLElement | null)?.hasAttribute('onload') === true;
    const isHtml = contentType.includes('html') && (body as HTMLElement | null)?.localName !== 'frameset';
    return isHtml && (hasScript || hasChanged) && !matchMedia('(scripting: none)').matches;
  }

  /** A page with this many elements has been drawn. A hit test in a line of 20,000 of them takes Chromium several seconds. */
  private isLarge(): boolean {
    return this.safe(document).getElementsByTagName('*').length > 10_000;
  }

  private isVisible(element: Element, minArea: number): boolean {
    const isSeen = { opacityProperty: true, visibilityProperty: true };
    return this.isInWindow(element, minArea) && this.safe(element).checkVisibility(isSeen);
  }

  private find(selector: string, root: Document | Element = document): Element[] {
    return Array.prototype.slice.call(this.safe(root).querySelectorAll(selector), 0, 100) as Element[];
  }

  /** The uppermost elements at the points of a grid, also within shadow roots. */
  private hits(): Hit[] {
    return [0.02, 0.2, 0.4, 0.6, 0.8, 0.98].flatMap((across) =>
      [0.02, 0.25, 0.5, 0.75, 0.98].flatMap((down) => {
        const [x, y] = [innerWidth * across, innerHeight * down];
        let element = this.safe(document).elementFromPoint(x, y);
        for (let depth = 0; element && depth < 10; depth += 1) {
          const inner: Element | null = this.safe(element).shadowRoot?.elementFromPoint(x, y) ?? null;
          if (!inner || inner === element) break;
          element = inner;
        }
        return element ? [{ x, y, element }] : [];
      }),
    );
  }

  private endlessAnimations(): { readonly target: Element; readonly name: string }[] {
    return this.safe(document)
      .getAnimations()
      .slice(0, 500)
      .flatMap((animation) => {
        const { effect, playState } = animation;
        const isEndless = playState === 'running' && effect?.getComputedTiming().endTime === Infinity;
        const target = effect instanceof KeyframeEffect ? effect.target : null;
        const name = animation instanceof CSSAnimation ? animation.animationName : '';
        return isEndless && target ? [{ target, name }] : [];
      });
  }

  /** The element that frameworks draw an app into, as long as it is empty. */
  private bareRoots(): Element[] {
    return this.find('#root, #app, #__next, #__nuxt, #___gatsby, app-root').filter(
      (root) =>
        !this.safe(root).shadowRoot &&
        this.find(':not(script, style, noscript, template)', root).length === 0 &&
        this.textOf(root, 1) === '',
    );
  }

  /** Skeletons and spinners: they say so, or move endlessly under such a name, and have no words of their own. */
  private placeholders(endless: readonly { readonly target: Element; readonly name: string }[]): Element[] {
    const busy = this.find(
      '[aria-busy="true" i], [role="progressbar"]:not([aria-valuenow]), progress:not([value])',
    );
    const words = ['skeleton', 'shimmer', 'spinner', 'loader', 'loading'];
    // As a word of its own: not `uploader`.
    const word =
      /(^|[^a-z])(skeleton|shimmer|spinner|(pre)?loader|loading)(?![a-z])|(Skeleton|Shimmer|Spinner|Loader|Loading)(?![a-z])/;
    const named = this.find(words.map((each) => `[class*="${each}" i]`).join()).filter((element) => {
      const name = this.safe(element).getAttribute('class') ?? '';
      const isMoving = endless.some(({ target }) => this.holds(element, target));
      return word.test(name) && (isMoving || /skeleton|shimmer/i.test(name));
    });
    const moving = endless.filter(
      ({ target, name }) =>
        /skeleton|shimmer|placeholder|loading|spin/i.test(name) ||
        // A small one is an icon or a button that wants to be seen.
        (/pulse|wave|glow/i.test(name) && this.isInWindow(target, 5_000)),
    );
    return [...busy, ...named, ...moving.map(({ target }) => target)].filter(
      (each) => this.isVisible(each, 64) && this.isWordless(each),
    );
  }

  /** Elements that say no more than `Loading…`. */
  private announcements(): Element[] {
    const says =
      /^(loading|please wait|one moment|just a moment|wird geladen|chargement|cargando|carregando|caricamento|загрузка|加载中|読み込み中|로딩)[^\p{L}]*$/iu;
    const found: Element[] = [];
    this.eachText(document, (text, parent) => {
      if (text.length <= 40 && says.test(text) && this.isVisible(parent, 1)) found.push(parent);
      return found.length < 20;
    });
    return found;
  }

  /** Calls `use` with the words of each text until it returns false, for at most 2,000 texts. */
  private eachText(root: Node, use: (text: string, parent: Element, node: Node) => boolean): void {
    const walker = this.safe(document).createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let count = 0; count < 2_000 && walker.nextNode(); count += 1) {
      const { currentNode: node } = walker;
      const text = (node as Text).data.slice(0, 1_000).trim();
      const parent = node.parentElement;
      if (text === '' || !parent || this.isUnseen(parent)) continue;
      if (!use(text, parent, node)) return;
    }
  }

  private isUnseen(element: Element): boolean {
    return /^(script|style|noscript|template|title)$/i.test(this.safe(element).localName);
  }

  /** The text of an element, cut after a little more than `length`. */
  private textOf(element: Node, length: number): string {
    let text = '';
    this.eachText(element, (each) => (text += each).length <= length);
    return text;
  }

  /** Whether an element has at most a few words, and no pictures. */
  private isWordless(element: Element): boolean {
    return (
      this.textOf(element, 40).length <= 40 &&
      this.find('img, video, canvas, iframe, input', element).length === 0
    );
  }

  private showsContent(hits: readonly Hit[], placeholders: readonly Element[]): boolean {
    const isContent = (element: Element): boolean => !placeholders.some((each) => this.holds(each, element));
    const roots = new Set(
      hits.map(({ element }) => this.safe(element).getRootNode()).filter((root) => root !== document),
    );
    return (
      [document, ...roots].some((root) => this.showsText(root, isContent)) ||
      this.showsMedia(isContent) ||
      this.showsColours(hits.filter(({ element }) => isContent(element)))
    );
  }

  private holds(outer: Node, inner: Node): boolean {
    return Node.prototype.contains.call(outer, inner);
  }

  private showsText(root: Node, isContent: (element: Element) => boolean): boolean {
    let isShown = false;
    const range = this.safe(document).createRange();
    this.eachText(root, (_, parent, node) => {
      range.selectNodeContents(node);
      const { top, left, bottom, right, width, height } = range.getBoundingClientRect();
      const isInWindow =
        width * height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
      isShown = isInWindow && this.isVisible(parent, 0) && isContent(parent);
      return !isShown;
    });
    return isShown;
  }

  private showsMedia(isContent: (element: Element) => boolean): boolean {
    const media = 'img, svg, canvas, video, iframe, object, embed, input, button, select, textarea';
    return this.find(media).some((element) => {
      const isThere =
        !(element instanceof HTMLImageElement) || (element.complete && element.naturalWidth > 0);
      return isThere && this.isVisible(element, 200) && isContent(element);
    });
  }

  /** Whether the window has pictures in its background, or more than one colour. */
  private showsColours(hits: readonly Hit[]): boolean {
    const colours = new Set<string>();
    for (const { element } of hits) {
      if (this.isClosed(element)) return true;
      for (let each: Element | null = element, parent; each; each = parent) {
        parent = this.safe(each).parentElement;
        const { backgroundColor, backgroundImage } = getComputedStyle(each);
        if (backgroundImage !== 'none' && parent !== null && each !== this.safe(document).body) return true;
        if (this.opacityOf(backgroundColor) === 0) continue;
        colours.add(backgroundColor);
        break;
      }
    }
    return colours.size > 1;
  }

  /** What is in a closed shadow root cannot be seen; an element that has one and takes up space probably shows something. */
  private isClosed(element: Element): boolean {
    const safeElement = this.safe(element);
    const { localName, shadowRoot, childElementCount } = safeElement;
    const isEmpty = shadowRoot === null && childElementCount === 0;
    return localName.includes('-') && isEmpty && safeElement.matches(':defined');
  }

  private opacityOf(colour: string): number {
    const [, alpha] = /[,/]\s*([\d.]+)\s*\)$/.exec(colour.startsWith('rgb(') ? '' : colour) ?? [];
    return alpha === undefined ? 1 : Number(alpha);
  }

  /** Whether one opaque element without words and pictures lies over all of the window, and texts are behind it. */
  private isCovered(hits: readonly Hit[]): boolean {
    const [first] = hits;
    if (!first) return false;
    let cover: Element | null = first.element;
    while (cover && !this.fillsWindow(cover)) cover = this.safe(cover).parentElement;
    const over = cover;
    if (!over || !hits.every(({ element }) => this.holds(over, element)) || !this.isWordless(over))
      return false;
    return hits.some(({ x, y }) =>
      this.safe(document)
        .elementsFromPoint(x, y)
        .slice(0, 50)
        .some(
          (behind) => !this.holds(over, behind) && !this.holds(behind, over) && this.textOf(behind, 1) !== '',
        ),
    );
  }

  private fillsWindow(element: Element): boolean {
    const { position, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    if (position !== 'fixed' && position !== 'absolute') return false;
    const { top, left, bottom, right } = this.safe(element).getBoundingClientRect();
    const isWhole = top <= 0 && left <= 0 && bottom >= innerHeight && right >= innerWidth;
    const isOpaque = this.opacityOf(backgroundColor) * Number(opacity) > 0.9 && backgroundImage === 'none';
    return isWhole && isOpaque;
  }
}
