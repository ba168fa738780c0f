import type { GapProbe } from './gap-probe.js';
import type { MotionReader } from './motion-reader.js';
import type { PlaceholderProbe, Placeholders } from './placeholder-probe.js';
import type { Hit, WindowReader } from './window-reader.js';

/** What the window shows of a page. */
interface Content {
  readonly content: 'drawn' | 'empty';
  readonly placeholders: Placeholders;
  /** It has an empty place that a script may be about to fill. */
  readonly hasGap: boolean;
  /** It is bare: little has been drawn so far. */
  readonly isBare: boolean;
  /** An animation runs endlessly. */
  readonly isAnimated: boolean;
  /** An animation uncovers a text in steps. */
  readonly isUncovering: boolean;
}

interface ContentParts {
  readonly reader: WindowReader;
  readonly motions: MotionReader;
  readonly placeholders: PlaceholderProbe;
  readonly gaps: GapProbe;
}

/**
 * Runs in the page, in the isolated world of `inPage`. Decides whether the window shows the content of the page, or only that
 * it is loading: nothing, a spinner, a skeleton, a cover. A document may have any number of nodes, so that every list is cut.
 */
export class ContentProbe {
  private readonly reader: WindowReader;

  constructor(private readonly parts: ContentParts) {
    this.reader = parts.reader;
  }

  /**
   * @param hasChanged the document has changed since it was parsed
   * @param isStreaming the page waits for a stream
   */
  look(hasChanged: boolean, isStreaming: boolean): Content {
    const motions = this.parts.motions.ofDocument();
    const isEndless = ({ leftMs }: { readonly leftMs: number }): boolean => leftMs === Infinity;
    const isAnimated = motions.some(isEndless);
    const isUncovering = this.parts.motions.isUncoveringText(motions, 8_000);
    const moves = { isAnimated, isUncovering };
    if (!this.mayChange(hasChanged) || this.isLarge()) {
      const placeholders = { elements: [], areLarge: false };
      return { content: 'drawn', placeholders, hasGap: false, isBare: false, ...moves };
    }
    const hits = this.reader.readHits();
    const endless = [...motions, ...this.parts.motions.ofShadowRoots(hits)].filter(isEndless);
    const isBare = this.reader.isBare(hits);
    const placeholders = this.parts.placeholders.find(endless, isBare);
    const isDrawn = this.showsContent(hits, placeholders.elements) && !this.isCovered(hits);
    return {
      content: isDrawn ? 'drawn' : 'empty',
      placeholders,
      hasGap: this.parts.gaps.find({ isBare, isStreaming }),
      isBare,
      ...moves,
    };
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

  private showsContent(hits: readonly Hit[], placeholders: readonly Element[]): boolean {
    const isContent = (element: Element): boolean =>
      !placeholders.some((each) => this.reader.contains(each, element));
    const roots = new Set(
      hits.map(({ element }) => this.reader.safe(element).getRootNode()).filter((root) => root !== document),
    );
    return (
      [document, ...roots].some(
        (root) => this.reader.someText(root, isContent) || this.showsMedia(root, isContent),
      ) || this.showsColours(hits.filter(({ element }) => isContent(element)))
    );
  }

  private showsMedia(root: Node, isContent: (element: Element) => boolean): boolean {
    const media = 'img, svg, canvas, video, iframe, object, embed, input, button, select, textarea';
    return this.reader.find(media, root as ParentNode & Node).some((element) => {
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

  /** Whether one opaque element without words and pictures lies over all of the window, with texts behind it. */
  private isCovered(hits: readonly Hit[]): boolean {
    const [first] = hits;
    if (!first) return false;
    let cover: Element | null = first.element;
    while (cover && !this.fillsWindow(cover)) cover = this.reader.safe(cover).parentElement;
    const over = cover;
    if (!over || !hits.every(({ element }) => this.reader.contains(over, element))) return false;
    const hasDrawing = this.reader.find('svg', over).some((svg) => this.reader.isInWindow(svg, 40_000));
    if (hasDrawing || !this.reader.isWordless(over)) return false;
    return this.reader.someText(document, (text, { x, y, width, height }) => {
      const hit = this.reader.safe(document).elementFromPoint(x + width / 2, y + height / 2);
      return !this.reader.contains(over, text) && hit !== null && this.reader.contains(over, hit);
    });
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
