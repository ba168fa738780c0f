import type { Motion, PlaceholderProbe } from './placeholder-probe.js';
import type { Hit, WindowReader } from './window-reader.js';

/** What the window shows of a page. */
interface Content {
  readonly content: 'drawn' | 'empty';
  /** Visible elements that stand for what is still to come. */
  readonly placeholders: readonly Element[];
  /** An animation runs endlessly. */
  readonly isAnimated: boolean;
}

/**
 * Runs in the page, in the isolated world of `inPage`. Decides whether the window shows the content of the page, or only that
 * it is loading: nothing, a spinner, a skeleton, a cover. A document may have any number of nodes, so that every list is cut.
 */
export class ContentProbe {
  constructor(
    private readonly reader: WindowReader,
    private readonly placeholderProbe: PlaceholderProbe,
  ) {}

  /** @param hasChanged The document has changed since it was parsed. */
  look(hasChanged: boolean): Content {
    const endless = this.endlessAnimations();
    const isAnimated = endless.length > 0;
    if (!this.mayChange(hasChanged) || this.isLarge())
      return { content: 'drawn', placeholders: [], isAnimated };
    const hits = this.reader.hits();
    const placeholders = this.placeholderProbe.find(endless);
    const isDrawn = this.showsContent(hits, placeholders) && !this.isCovered(hits);
    return { content: isDrawn ? 'drawn' : 'empty', placeholders, isAnimated };
  }

  /** Nothing changes a document without scripts. */
  private mayChange(hasChanged: boolean): boolean {
    const { contentType, scripts, body } = this.reader.safe(document);
    const hasScript = scripts.length > 0 || (body as HTMLElement | null)?.hasAttribute('onload') === true;
    const isHtml = contentType.includes('html') && (body as HTMLElement | null)?.localName !== 'frameset';
    return isHtml && (hasScript || hasChanged) && !matchMedia('(scripting: none)').matches;
  }

  /** A page with this many elements has been drawn. A hit test in a line of 20,000 of them takes Chromium several seconds. */
  private isLarge(): boolean {
    return this.reader.safe(document).getElementsByTagName('*').length > 10_000;
  }

  private endlessAnimations(): Motion[] {
    return this.reader
      .safe(document)
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

  private showsContent(hits: readonly Hit[], placeholders: readonly Element[]): boolean {
    const isContent = (element: Element): boolean =>
      !placeholders.some((each) => this.reader.holds(each, element));
    const roots = new Set(
      hits.map(({ element }) => this.reader.safe(element).getRootNode()).filter((root) => root !== document),
    );
    return (
      [document, ...roots].some((root) => this.showsText(root, isContent)) ||
      this.showsMedia(isContent) ||
      this.showsColours(hits.filter(({ element }) => isContent(element)))
    );
  }

  private showsText(root: Node, isContent: (element: Element) => boolean): boolean {
    let isShown = false;
    const range = this.reader.safe(document).createRange();
    this.reader.eachText(root, (_, parent, node) => {
      range.selectNodeContents(node);
      const { top, left, bottom, right, width, height } = range.getBoundingClientRect();
      const isInWindow =
        width * height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
      isShown = isInWindow && this.reader.isVisible(parent, 0) && isContent(parent);
      return !isShown;
    });
    return isShown;
  }

  private showsMedia(isContent: (element: Element) => boolean): boolean {
    const media = 'img, svg, canvas, video, iframe, object, embed, input, button, select, textarea';
    return this.reader.find(media).some((element) => {
      const isThere =
        !(element instanceof HTMLImageElement) || (element.complete && element.naturalWidth > 0);
      return isThere && this.reader.isVisible(element, 200) && isContent(element);
    });
  }

  /** Whether the window has pictures in its background, or more than one colour. */
  private showsColours(hits: readonly Hit[]): boolean {
    const colours = new Set<string>();
    for (const { element } of hits) {
      if (this.isClosed(element)) return true;
      for (let each: Element | null = element, parent; each; each = parent) {
        parent = this.reader.safe(each).parentElement;
        const { backgroundColor, backgroundImage } = getComputedStyle(each);
        if (backgroundImage !== 'none' && parent !== null && each !== this.reader.safe(document).body)
          return true;
        if (this.reader.opacityOf(backgroundColor) === 0) continue;
        colours.add(backgroundColor);
        break;
      }
    }
    return colours.size > 1;
  }

  /** What is in a closed shadow root cannot be seen; an element that has one and takes up space probably shows something. */
  private isClosed(element: Element): boolean {
    const safeElement = this.reader.safe(element);
    const { localName, shadowRoot, childElementCount } = safeElement;
    const isEmpty = shadowRoot === null && childElementCount === 0;
    return localName.includes('-') && isEmpty && safeElement.matches(':defined');
  }

  /** Whether one opaque element without words and pictures lies over all of the window, and texts are behind it. */
  private isCovered(hits: readonly Hit[]): boolean {
    const [first] = hits;
    if (!first) return false;
    let cover: Element | null = first.element;
    while (cover && !this.fillsWindow(cover)) cover = this.reader.safe(cover).parentElement;
    const over = cover;
    if (
      !over ||
      !hits.every(({ element }) => this.reader.holds(over, element)) ||
      !this.reader.isWordless(over)
    )
      return false;
    return hits.some(({ x, y }) =>
      this.reader
        .safe(document)
        .elementsFromPoint(x, y)
        .slice(0, 50)
        .some(
          (behind) =>
            !this.reader.holds(over, behind) &&
            !this.reader.holds(behind, over) &&
            this.reader.textOf(behind, 1) !== '',
        ),
    );
  }

  private fillsWindow(element: Element): boolean {
    const { position, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    if (position !== 'fixed' && position !== 'absolute') return false;
    const { top, left, bottom, right } = this.reader.safe(element).getBoundingClientRect();
    const isWhole = top <= 0 && left <= 0 && bottom >= innerHeight && right >= innerWidth;
    const isOpaque =
      this.reader.opacityOf(backgroundColor) * Number(opacity) > 0.9 && backgroundImage === 'none';
    return isWhole && isOpaque;
  }
}
