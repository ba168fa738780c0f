import type { WindowReader } from './window-reader.js';

/** Runs in the page, in the isolated world of `inPage`. Finds empty places of the window that a script may be about to fill. */
export class GapProbe {
  constructor(private readonly reader: WindowReader) {}

  /**
   * A page that shows much is complete, whatever is empty in it. On a bare one an empty place is a gap when a script may fill it:
   * one that has set a timer, or that waits for a stream. Values without words, such as dashes, wait for a stream alone.
   */
  find({ isBare, isStreaming }: { readonly isBare: boolean; readonly isStreaming: boolean }): boolean {
    if (isStreaming && this.hasBlankValues(isBare)) return true;
    if (!isBare) return false;
    // What is empty beside a form is filled once the form is.
    if (!isStreaming && (!this.hasTimers() || this.hasForm())) return false;
    return this.isHeadlineAlone() || this.hasEmptyPlace(isStreaming);
  }

  /** Texts such as `—` or `Waiting for data`, each in an element of its own. */
  private hasBlankValues(isBare: boolean): boolean {
    const says = isBare ? /\b(connecting|waiting|no data)\b/i : /^(connecting|waiting for)\b/i;
    let blanks = 0;
    this.reader.eachText(document, (text, parent) => {
      const isBlank =
        /^([-–—?.…•]{1,5}|n\/a)$/i.test(text) && this.reader.safe(parent).childNodes.length === 1;
      const isSaid = text.length <= 40 && says.test(text);
      // A single dash may be a separator.
      if ((isBlank || isSaid) && this.reader.isVisible(parent, 1)) blanks += isSaid ? 2 : 1;
      return blanks < 2;
    });
    return blanks >= 2;
  }

  /** Timers are numbered, in all worlds of a document together. */
  private hasTimers(): boolean {
    const next = setTimeout(() => undefined);
    clearTimeout(next);
    return Number(next) > 1;
  }

  private hasForm(): boolean {
    return this.reader
      .find('input, textarea, select')
      .some((each) => this.isOfContent(each) && this.reader.isVisible(each, 64));
  }

  /** Whether a control is no search or newsletter around the content. The header of a section is part of the content. */
  private isOfContent(control: Element): boolean {
    const bar = this.reader.safe(control).closest('header, nav, aside, footer');
    return !bar || (bar.localName === 'header' && this.reader.safe(bar).closest('main, section') !== null);
  }

  /** Whether the page has headlines and navigation at its top, and nothing below them. One in the middle is a design. */
  private isHeadlineAlone(): boolean {
    const heads = 'header, nav, h1, h2, h3, h4, h5, h6';
    let isAlone = false;
    this.reader.eachText(document, (_, parent) => {
      const head = this.reader.safe(parent).closest(heads);
      const isAtTop = head && this.reader.safe(head).getBoundingClientRect().bottom < innerHeight / 3;
      isAlone = isAtTop === true || !this.reader.isVisible(parent, 1);
      return isAlone;
    });
    const isContent = (element: Element): boolean => {
      if (this.reader.safe(element).closest(heads) || !this.reader.isInWindow(element, 1)) return false;
      return this.isPainted(element) || this.reader.safe(element).querySelector(heads) === null;
    };
    return isAlone && !this.reader.find('body, body *').some(isContent);
  }

  private hasEmptyPlace(isStreaming: boolean): boolean {
    const names = 'main, section, article, div, ul, ol, dl, table, tbody, p, pre, h1, h2, h3, :not(:defined)';
    const values = 'td, output, span[id], b[id], strong[id]';
    return (
      this.reader.find(names).some((each) => this.isEmpty(each) && this.isPlace(each)) ||
      (isStreaming && this.reader.find(values).some((each) => this.isEmpty(each) && this.isRendered(each)))
    );
  }

  /** A headline that is typed may have a caret. */
  private isEmpty(element: Element): boolean {
    const { localName, childElementCount, shadowRoot } = this.reader.safe(element);
    if (shadowRoot || (childElementCount > 0 && !/^h\d$/.test(localName))) return false;
    const text = this.reader.textOf(element, 10).replace(/[|_▌█]/g, '');
    return text === '' && !this.reader.showsMedia(element);
  }

  private isRendered(element: Element): boolean {
    const { top, bottom } = this.reader.safe(element).getBoundingClientRect();
    return bottom >= 0 && top < innerHeight && this.reader.safe(element).checkVisibility();
  }

  private isPlace(element: Element): boolean {
    if (!this.isRendered(element)) return false;
    const { localName } = this.reader.safe(element);
    if (/^(table|tbody|h\d)$/.test(localName) || !this.reader.safe(element).matches(':defined')) return true;
    if (!this.isPlain(element)) return false;
    const { width, height } = this.reader.safe(element).getBoundingClientRect();
    if (this.isBox(element) || /^(main|section|article)$/.test(localName)) return true;
    return height < 60 && width >= innerWidth / 3 && this.isNext(element);
  }

  /** Whether an element is in the flow of the page and shows nothing by its style. */
  private isPlain(element: Element): boolean {
    const style = getComputedStyle(element);
    const isInFlow = /^(static|relative)$/.test(style.position) && style.float === 'none';
    if (!isInFlow || /^(inline|contents)/.test(style.display)) return false;
    // An empty card is painted as well, but not in a colour.
    const hasFrame = style.borderTopWidth !== '0px' || style.boxShadow !== 'none';
    const isCard = hasFrame && this.isBox(element) && this.reader.isGrey(style.backgroundColor);
    if (style.backgroundImage !== 'none' || (this.isPainted(element) && !isCard)) return false;
    const hasMark = (part: string): boolean => getComputedStyle(element, part).content !== 'none';
    const isMarked = hasMark('::before') || hasMark('::after');
    return !isMarked && this.reader.safe(element).getAnimations().length === 0;
  }

  private isPainted(element: Element): boolean {
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    const isPage = element === this.reader.safe(document).body;
    return backgroundImage !== 'none' || (!isPage && this.reader.opacityOf(backgroundColor) > 0);
  }

  /** Whether an element holds a place of some size. */
  private isBox(element: Element): boolean {
    const { width, height } = this.reader.safe(element).getBoundingClientRect();
    return width >= 100 && height >= 60;
  }

  /** Whether an element is where the content would go on: not before more of it, and not behind the whole of it, as dialogs are. */
  private isNext(element: Element): boolean {
    const { body } = this.reader.safe(document);
    for (let each = element, depth = 0; each !== body && depth < 8; depth += 1) {
      const { parentElement } = this.reader.safe(each);
      if (!parentElement) break;
      const siblings = Array.prototype.slice.call(
        this.reader.safe(parentElement).children,
        0,
        50,
      ) as Element[];
      const at = siblings.indexOf(each);
      if (siblings.slice(0, at).some((before) => this.isContent(before, innerHeight / 4))) return false;
      if (siblings.slice(at + 1).some((after) => this.isContent(after, 1))) return false;
      each = parentElement;
    }
    return true;
  }

  private isContent(element: Element, minHeight: number): boolean {
    const { localName } = this.reader.safe(element);
    const { height } = this.reader.safe(element).getBoundingClientRect();
    if (/^(header|nav|footer|script|style)$/.test(localName) || height < minHeight) return false;
    return this.reader.showsWords(element) || this.reader.showsMedia(element);
  }
}
