import type { Motion, MotionReader } from './motion-reader.js';
import type { SkeletonProbe } from './skeleton-probe.js';
import type { WindowReader } from './window-reader.js';

/** What the window shows for what is still to come. */
export interface Placeholders {
  readonly elements: readonly Element[];
  /** They take up a good part of the window. */
  readonly areLarge: boolean;
}

/** Runs in the page, in the isolated world of `inPage`. Finds the visible elements that stand for what is still to come. */
export class PlaceholderProbe {
  constructor(
    private readonly reader: WindowReader,
    private readonly motions: MotionReader,
    private readonly skeletonProbe: SkeletonProbe,
  ) {}

  /** @param endless the animations that never end */
  find(endless: readonly Motion[], isBare: boolean): Placeholders {
    const skeletons = this.skeletonProbe.find(endless, isBare);
    const elements = [
      ...this.bareRoots(),
      ...this.marked(endless),
      ...this.announcements(),
      ...skeletons.elements,
      ...(isBare ? this.spinners(endless) : []),
    ];
    return { elements, areLarge: skeletons.areLarge };
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
      const isMoving = endless.some(({ target }) => this.reader.contains(element, target));
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
      /^(loading|connecting|please wait|one moment|just a moment|wird geladen|verbinde|chargement|cargando|conectando|carregando|caricamento|загрузка|подключение|加载中|连接中|正在连接|読み込み中|接続中|로딩|연결 중)[^\p{L}]*$/iu;
    // What is done to something is announced only with an ellipsis: `Processing` may be the state of an order.
    const does =
      /^(loading|connecting|reconnecting|waiting for|preparing|processing|generating|fetching|initiali[sz]ing|searching|calculating|updating|verbindung|connexion|conectando|connessione)\b.*(…|\.\.\.)[^\p{L}]*$/iu;
    const found: Element[] = [];
    this.reader.eachText(document, (text, parent) => {
      const isShort = text.length <= 40;
      if (isShort && (says.test(text) || does.test(text)) && this.reader.isVisible(parent, 1))
        found.push(parent);
      return found.length < 20;
    });
    return found;
  }

  /** Small things that turn, or move beside each other, quickly and in a place of a bare page where nothing else is. */
  private spinners(endless: readonly Motion[]): Element[] {
    // An SVG may be animated by elements of its own.
    const drawn = this.reader.find(
      'svg animate[repeatCount="indefinite"], svg animateTransform[repeatCount="indefinite"]',
    );
    const quick = endless.slice(0, 100).filter(({ roundMs }) => roundMs <= 2_500);
    const parents = quick.map(({ target }) => this.reader.safe(target).parentElement);
    const turning = quick.filter(
      (motion, at) =>
        parents.filter((each) => each === parents[at]).length > 1 || this.motions.isTurning(motion),
    );
    const moving = [...drawn, ...turning.map(({ target }) => target)];
    const whole = moving.map((each) => (each instanceof SVGElement && each.ownerSVGElement) || each);
    return [...new Set(whole)]
      .slice(0, 20)
      .filter((each) => this.isSmall(each) && this.isRendered(each) && this.isAlone(each));
  }

  private isSmall(element: Element): boolean {
    const { localName } = this.reader.safe(element);
    const { width, height } = this.reader.safe(element).getBoundingClientRect();
    if (/^(img|video|canvas|input)$/.test(localName)) return false;
    return Math.max(width, height) <= 140 && !this.reader.safe(element).closest('a, button, label');
  }

  /** Whether it is displayed in the window. A movement may leave it without a size, or invisible, for a moment. */
  private isRendered(element: Element): boolean {
    const parent = this.reader.safe(element).parentElement;
    return this.reader.isInWindow(element, 0) && (parent === null || this.reader.isVisible(parent, 0));
  }

  /** Whether nothing else is beside an element, or in the part of the page around it that is half as wide as the window. */
  private isAlone(element: Element): boolean {
    const { top, bottom } = this.reader.safe(element).getBoundingClientRect();
    const isBeside = (_: Element, place: DOMRect): boolean =>
      place.bottom > top - 8 && place.top < bottom + 8;
    if (!this.reader.someText(document, isBeside)) return true;
    let place = element;
    while (this.reader.safe(place).getBoundingClientRect().width < innerWidth / 2) {
      const root = this.reader.safe(place).getRootNode();
      const parent = this.reader.safe(place).parentElement ?? (root instanceof ShadowRoot ? root.host : null);
      if (!parent) break;
      place = parent;
    }
    return !this.reader.showsWords(place) && !this.reader.showsMedia(place);
  }
}
