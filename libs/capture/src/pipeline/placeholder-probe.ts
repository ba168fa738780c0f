import type { WindowReader } from './window-reader.js';

/** An endless animation. */
export interface Motion {
  readonly target: Element;
  /** The name of its keyframes; empty when a script has made it. */
  readonly name: string;
}

/** Runs in the page, in the isolated world of `inPage`. Finds the visible elements that stand for what is still to come. */
export class PlaceholderProbe {
  constructor(private readonly reader: WindowReader) {}

  find(endless: readonly Motion[]): Element[] {
    return [...this.bareRoots(), ...this.marked(endless), ...this.announcements()];
  }

  /** The element that frameworks draw an app into, as long as it is empty. */
  private bareRoots(): Element[] {
    return this.reader
      .find('#root, #app, #__next, #__nuxt, #___gatsby, app-root')
      .filter(
        (root) =>
          !this.reader.safe(root).shadowRoot &&
          this.reader.find(':not(script, style, noscript, template)', root).length === 0 &&
          this.reader.textOf(root, 1) === '',
      );
  }

  /** Skeletons and spinners: they say so, or move endlessly under such a name, and have no words of their own. */
  private marked(endless: readonly Motion[]): Element[] {
    const busy = this.reader.find(
      '[aria-busy="true" i], [role="progressbar"]:not([aria-valuenow]), progress:not([value])',
    );
    const words = ['skeleton', 'shimmer', 'spinner', 'loader', 'loading'];
    // As a word of its own: not `uploader`.
    const word =
      /(^|[^a-z])(skeleton|shimmer|spinner|(pre)?loader|loading)(?![a-z])|(Skeleton|Shimmer|Spinner|Loader|Loading)(?![a-z])/;
    const named = this.reader.find(words.map((each) => `[class*="${each}" i]`).join()).filter((element) => {
      const name = this.reader.safe(element).getAttribute('class') ?? '';
      const isMoving = endless.some(({ target }) => this.reader.holds(element, target));
      return word.test(name) && (isMoving || /skeleton|shimmer/i.test(name));
    });
    const moving = endless.filter(
      ({ target, name }) =>
        /skeleton|shimmer|placeholder|loading|spin/i.test(name) ||
        // A small one is an icon or a button that wants to be seen.
        (/pulse|wave|glow/i.test(name) && this.reader.isInWindow(target, 5_000)),
    );
    return [...busy, ...named, ...moving.map(({ target }) => target)].filter(
      (each) => this.reader.isVisible(each, 64) && this.reader.isWordless(each),
    );
  }

  /** Elements that say no more than `Loading…`. */
  private announcements(): Element[] {
    const says =
      /^(loading|please wait|one moment|just a moment|wird geladen|chargement|cargando|carregando|caricamento|загрузка|加载中|読み込み中|로딩)[^\p{L}]*$/iu;
    const found: Element[] = [];
    this.reader.eachText(document, (text, parent) => {
      if (text.length <= 40 && says.test(text) && this.reader.isVisible(parent, 1)) found.push(parent);
      return found.length < 20;
    });
    return found;
  }
}
