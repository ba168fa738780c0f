import type { PageFeatures } from '@app/filters';
import type { Visit } from '../pipeline/family.js';
import type { Cleaner } from '../pipeline/visit-slots.js';
import { documentsFrom, type FrameSession } from '../pipeline/frame-sessions.js';
import { inWorld, openWorld, type IsolatedWorld, type SafeAccess } from '../pipeline/in-page.js';
import { endsInTime, withDeadline } from '../pipeline/wait.js';

/** Frames of which styles are looked up, of all processes together. */
const MAX_FRAMES = 300;
/** Rules are looked up by host, and a page can make URLs 2 MB long. */
const MAX_URL_LENGTH = 4_096;
/** For all frames. A page that keeps its process busy is captured as it is. */
const MAX_HIDE_MS = 1_500;
/** A pass that began this recently has seen the page as it is. */
const FRESH_MS = 50;

/** Limits of what is read from a document. */
const LIMITS = {
  elements: 100_000,
  ms: 100,
  texts: 5_000,
  length: 200,
  classLength: 5_000,
  hrefLength: 500,
  roots: 1_000,
} as const;
type Limits = { readonly [Name in keyof typeof LIMITS]: number };
/** Limits of what is changed in a document. */
const CHANGES = { elements: 2_000, rules: 5_000, ms: 100 } as const;

/** Hides what the cosmetic rules of `visit.hiddenKinds` name, in the page and all of its frames. */
export class FilterStyles implements Cleaner {
  private readonly sessions: FrameSession[] = [];
  private running?: Promise<void>;
  private beganAt = -Infinity;

  private constructor(
    private readonly visit: Visit,
    private readonly blocked: ReadonlySet<string>,
  ) {}

  /**
   * Sets `visit.hideFiltered` and adds a cleaner. To be called before navigation.
   *
   * @param blocked URLs of pictures and frames that were blocked: their elements are empty boxes
   */
  static async start(visit: Visit, blocked: ReadonlySet<string> = new Set()): Promise<void> {
    const styles = new FilterStyles(visit, blocked);
    visit.hideFiltered = () => styles.hide();
    visit.cleaners.push(styles);
    await visit.frameSessions.follow((session) => {
      if (session.frameId !== undefined) styles.sessions.push(session);
      return Promise.resolve();
    });
  }

  /**
   * Hides what the page shows now. A rule of a document's host or features also holds for elements that are added later.
   * Takes a bounded time and never rejects: the page may be gone, or may not let itself be changed.
   */
  hide(): Promise<void> {
    if (performance.now() - this.beganAt < FRESH_MS && this.running) return this.running;
    this.beganAt = performance.now();
    const deadline = { until: this.beganAt + MAX_HIDE_MS, message: 'hiding what the lists name' };
    this.running = endsInTime(withDeadline(deadline, this.hideInSessions())).then(
      () => undefined,
      () => undefined,
    );
    return this.running;
  }

  /** As `hide`. What it hides moves at once. */
  async clean(): Promise<boolean> {
    await this.hide();
    return false;
  }

  /** What came meanwhile is hidden by the rules that already apply, or stays. */
  hasMore(): Promise<boolean> {
    return Promise.resolve(false);
  }

  private async hideInSessions(): Promise<void> {
    const frames = this.sessions.flatMap(({ cdp, frameId = '' }) =>
      documentsFrom(this.visit.page, frameId).map(({ id, url }) => ({
        cdp,
        id,
        url: url.slice(0, MAX_URL_LENGTH),
      })),
    );
    const hiding = frames.slice(0, MAX_FRAMES).map(async ({ cdp, id, url }) => {
      await this.hideInFrame(await openWorld(cdp, id), url);
    });
    await Promise.allSettled(hiding);
  }

  private async hideInFrame(world: IsolatedWorld, url: string): Promise<void> {
    const { blocked, visit } = this;
    const features = readFeatures(await inWorld<Limits, unknown>(world, collectFeatures, LIMITS));
    const css = visit.filters.stylesFor(url, visit.hiddenKinds, features);
    if (css === '' && blocked.size === 0) return;
    await Promise.all([
      inWorld(world, addFilterSheet, css),
      inWorld(world, hideByStyle, { blocked: [...blocked], limits: CHANGES }),
    ]);
  }
}

/** Checks what comes from the page, which is not trusted. */
function readFeatures(raw: unknown): PageFeatures {
  const { classes, ids, hrefs } = (raw ?? {}) as Record<string, unknown>;
  const texts = (value: unknown, length: number): string[] =>
    (Array.isArray(value) ? (value as unknown[]) : [])
      .slice(0, LIMITS.texts)
      .flatMap((text) => (typeof text === 'string' ? text.slice(0, length) : []));
  return {
    classes: texts(classes, LIMITS.length),
    ids: texts(ids, LIMITS.length),
    hrefs: texts(hrefs, LIMITS.hrefLength),
  };
}

/** Runs in the page. The classes, ids and links of a document and of its open shadow roots. */
function collectFeatures(limits: Limits, safe: SafeAccess): unknown {
  // The properties of the prototype are called, because a proxy of each element would take ten times as long.
  const { prototype } = Element;
  const read = (element: Element, name: string): string | null => prototype.getAttribute.call(element, name);
  const shadowRootOf = (element: Element): unknown => Reflect.get(prototype, 'shadowRoot', element);
  const [classes, ids, hrefs] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const shadowRoots: ShadowRoot[] = [];
  const add = (to: Set<string>, text: string | null, length: number): void => {
    if (text && text.length <= length && to.size < limits.texts) to.add(text);
  };
  const look = (element: Element): void => {
    add(ids, read(element, 'id'), limits.length);
    add(hrefs, read(element, 'href'), limits.hrefLength);
    const names = read(element, 'class')?.slice(0, limits.classLength);
    if (names) for (const name of names.split(/\s+/)) add(classes, name, limits.length);
    const shadowRoot = shadowRootOf(element) as ShadowRoot | null;
    if (shadowRoot && shadowRoots.length < limits.roots) shadowRoots.push(shadowRoot);
  };
  const until = performance.now() + limits.ms;
  let left: number = limits.elements;
  for (let root: Node | undefined = document, next = 0; root; root = shadowRoots[next++]) {
    const walker = safe(document).createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode()) {
      left = left % 256 === 0 && performance.now() > until ? 0 : left - 1;
      look(node as Element);
    }
  }
  (globalThis as KeptInWorld).shadowRoots = shadowRoots;
  return { classes: [...classes], ids: [...ids], hrefs: [...hrefs] };
}

/** What the isolated world of a document keeps between two calls. The page cannot see it. */
interface KeptInWorld {
  filterSheet?: CSSStyleSheet;
  shadowRoots?: readonly ShadowRoot[];
}

/**
 * Runs in the page. Adds the style sheet to the document and its open shadow roots. Important rules of a layer win against
 * important rules of the page outside a layer, whatever their selectors.
 */
function addFilterSheet(css: string, safe: SafeAccess): void {
  const kept = globalThis as KeptInWorld;
  const sheet = (kept.filterSheet ??= new CSSStyleSheet());
  sheet.replaceSync(`@layer { ${css} }`);
  for (const each of [document, ...(kept.shadowRoots ?? [])]) {
    const root = safe(each);
    if (!root.adoptedStyleSheets.includes(sheet))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }
}

interface BlockedBoxes {
  readonly blocked: readonly string[];
  readonly limits: { readonly [Name in keyof typeof CHANGES]: number };
}

/**
 * Runs in the page. Hides what the style sheet does not hide: elements with an important inline style, and those whose
 * picture or frame was blocked.
 */
function hideByStyle({ blocked, limits }: BlockedBoxes, safe: SafeAccess): void {
  const until = performance.now() + limits.ms;
  const { filterSheet, shadowRoots = [] } = globalThis as KeptInWorld;
  const shown = new Set<Element>();
  const find = (selector: string, isShown: (element: Element) => boolean): void => {
    for (const root of [document, ...shadowRoots]) {
      if (performance.now() > until) return;
      for (const element of safe(root).querySelectorAll(selector)) {
        if (shown.size < limits.elements && isShown(element)) shown.add(element);
      }
    }
  };
  const layer = filterSheet?.cssRules[0] as CSSLayerBlockRule | undefined;
  for (const rule of [...(layer?.cssRules ?? [])].slice(0, limits.rules)) {
    if (!(rule instanceof CSSStyleRule) || rule.style.display !== 'none') continue;
    find(rule.selectorText, (element) => getComputedStyle(element).display !== 'none');
  }
  const urls = new Set(blocked);
  const isBlocked = (element: Element): boolean => {
    const { currentSrc, src, data } = safe(element as HTMLImageElement & HTMLObjectElement);
    const source: unknown = currentSrc || src || data;
    return typeof source === 'string' && urls.has(source.split('#', 1)[0] ?? '');
  };
  if (urls.size > 0) find('img, input, iframe, frame, embed, object, video', isBlocked);
  for (const element of shown) {
    const style = safe(element as HTMLElement).style as CSSStyleDeclaration | undefined;
    style?.setProperty('display', 'none', 'important');
  }
}
