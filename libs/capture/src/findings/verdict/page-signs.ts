import { MISSING_PARTS, readMissing, type MissingProbe, type MissingSigns } from '../missing/read-missing.js';
import type { SafeAccess } from '../../pipeline/in-page.js';
import { isProse, PROSE_PARTS, readMainPart, textIn } from './page-prose.js';
import { readSurface, shareOfWindow, SURFACE_PARTS, type PageSurface } from './page-surface.js';

/** What the probe reports about a page. The page decides what is in it, and may lie. */
export interface PageSigns {
  /** URL of the document. */
  readonly url: string;
  readonly title: string;
  /** The beginning of the text that a visitor sees, white space collapsed. */
  readonly text: string;
  /** The page has more text or elements than were read. `scripts`, `code` and `elements` are empty then. */
  readonly isLong: boolean;
  /** URLs of scripts. */
  readonly scripts: readonly string[];
  /** Beginnings of inline scripts. */
  readonly code: readonly string[];
  readonly frames: readonly PageFrame[];
  /** Those of the selectors that match an element. */
  readonly elements: readonly string[];
  /** What a visitor can fill in. */
  readonly fields: readonly PageField[];
  /** Where something is drawn. What a canvas or a frame shows is not known, so they do not count. */
  readonly drawn: 'window' | 'beyond' | 'nothing';
  /** Headings and the largest text; only the main heading when the page has more text than was read. */
  readonly headings: readonly string[];
  /**
   * Characters of the text without its headings, its links and buttons, and what frames it (header, navigation, footer). When the
   * page has more text than was read, those of the part in which its main heading stands.
   */
  readonly prose: number;
  /** What fills the window when it shows no text and no control. */
  readonly surface: PageSurface | null;
  /** What it shows nothing of; null when that was not asked for. */
  readonly missing: MissingSigns | null;
}

export interface PageFrame {
  readonly url: string;
  /** The part of the window that it covers, 0 to 1. */
  readonly share: number;
}

export interface PageField {
  readonly kind: 'password' | 'user name' | 'other';
  /** The middle of the field, as parts of the window: 0 is its left or upper edge, 1 its right or lower edge. */
  readonly x: number;
  readonly y: number;
}

/** What the probe looks for, and where it stops. */
export interface Probe {
  readonly selectors: readonly string[];
  /** Characters of the text. */
  readonly maxText: number;
  /** Nodes of the page that are visited. */
  readonly maxNodes: number;
  /** Items of each list. */
  readonly maxItems: number;
  /** Characters of any other text. */
  readonly maxLength: number;
  /** Null for a file that is no picture of the page. */
  readonly missing: MissingProbe | null;
}

/** A walk through the page. */
interface Walk {
  readonly probe: Probe;
  readonly safe: SafeAccess;
  readonly frames: PageFrame[];
  readonly fields: PageField[];
  readonly headings: string[];
  readonly shadows: ShadowRoot[];
  drawn: PageSigns['drawn'];
  /** The window shows a text or a control. */
  isWritten: boolean;
  text: string;
  largest: { readonly size: number; readonly text: string };
  prose: number;
  nodes: number;
}

/** Runs in the page. */
function readSigns(probe: Probe, safe: SafeAccess): PageSigns {
  const page = safe(document);
  const walk: Walk = {
    probe,
    safe,
    frames: [],
    fields: [],
    headings: [],
    shadows: [],
    drawn: 'nothing',
    isWritten: false,
    text: '',
    largest: { size: 0, text: '' },
    prose: 0,
    nodes: 0,
  };
  walkPage(walk);
  const { frames, fields, drawn, text } = walk;
  const isLong = walk.nodes >= probe.maxNodes || text.length >= probe.maxText;
  return {
    url: page.URL.slice(0, probe.maxLength),
    title: page.title.slice(0, probe.maxLength),
    text: text.slice(0, probe.maxText),
    isLong,
    ...(isLong ? { scripts: [], code: [], elements: [] } : readSource(walk)),
    frames,
    fields,
    drawn,
    ...(isLong ? readMainPart(probe, safe) : readWalked(walk)),
    surface: walk.isWritten ? null : readSurface(probe, safe),
    missing: probe.missing && readMissing({ probe: probe.missing, roots: [document, ...walk.shadows], safe }),
  };
}

/** Among several headings, only the first says what the page is about. The first of two may be the name of the site. */
function readWalked({ headings, largest, prose }: Walk): Pick<PageSigns, 'headings' | 'prose'> {
  return { headings: [...headings.slice(0, headings.length > 2 ? 1 : 2), largest.text], prose };
}

/** Visits the elements that are displayed and their texts, open shadow roots included, up to the limits of the probe. */
function walkPage(walk: Walk): void {
  const { safe, probe } = walk;
  const page = safe(document);
  // Despite the DOM types there may be no root.
  const start = page.documentElement as Element | null;
  const roots: Node[] = start ? [start] : [];
  for (let root = roots.pop(); root; root = roots.pop()) {
    const walker = page.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let node: Node | null = root;
    while (node) {
      if (walk.nodes >= probe.maxNodes || walk.text.length >= probe.maxText) return;
      walk.nodes += 1;
      const isDisplayed: boolean = !(node instanceof Element) || isRendered(node, safe);
      if (node instanceof Text) visitText(walk, node);
      else if (node instanceof Element && isDisplayed) {
        visitElement(walk, node);
        const inner = elementOf(node, safe).shadowRoot;
        if (inner) {
          roots.push(inner);
          walk.shadows.push(inner);
        }
      }
      if (isDisplayed) node = walker.nextNode();
      // Past the whole element.
      else for (node = walker.nextSibling(); !node && walker.parentNode();) node = walker.nextSibling();
    }
  }
}

/** Only a form shadows the properties that are read here, and `safe` is too slow for every element of a page. */
function elementOf<T extends Element>(element: T, safe: SafeAccess): T {
  return element instanceof HTMLFormElement ? safe(element) : element;
}

function isRendered(element: Element, safe: SafeAccess): boolean {
  return elementOf(element, safe).checkVisibility() || getComputedStyle(element).display === 'contents';
}

function isSeen(element: Element, safe: SafeAccess): boolean {
  return elementOf(element, safe).checkVisibility({ opacityProperty: true, visibilityProperty: true });
}

function visitText(walk: Walk, node: Text): void {
  const { safe, probe } = walk;
  const own = node.substringData(0, probe.maxText).replace(/\s+/g, ' ');
  const parent = node.parentElement;
  if (own === '' || own === ' ') return;
  if (parent && !isSeen(parent, safe) && getComputedStyle(parent).display !== 'contents') return;
  walk.text += walk.text === '' || walk.text.endsWith(' ') ? own.trimStart() : ` ${own.trimStart()}`;
  noteWords(walk, { own, parent });
  if (walk.isWritten || (parent && /^rgba\(.*, 0\)$/.test(getComputedStyle(parent).color))) return;
  const range = safe(document).createRange();
  range.selectNodeContents(node);
  if (noteDrawn(walk, range.getBoundingClientRect())) walk.isWritten = true;
}

/** A text of some words is prose, and one that may stand on a sign may be the largest. Looking at others would cost more. */
function noteWords(walk: Walk, { own, parent }: { own: string; parent: Element | null }): void {
  if (own.length > 20 && isProse(parent)) walk.prose += own.length;
  if (own.length > 80 || !parent) return;
  const size = Number.parseFloat(getComputedStyle(parent).fontSize);
  if (size > walk.largest.size) walk.largest = { size, text: own.trim() };
}

function visitElement(walk: Walk, element: Element): void {
  const { safe, probe } = walk;
  const { localName } = elementOf(element, safe);
  const kind = fieldKind(element);
  if (kind !== undefined && walk.fields.length < probe.maxItems && isSeen(element, safe)) {
    const { x, y, width, height } = element.getBoundingClientRect();
    const { innerWidth, innerHeight } = window;
    if (width > 0)
      walk.fields.push({ kind, x: (x + width / 2) / innerWidth, y: (y + height / 2) / innerHeight });
  }
  if (element instanceof HTMLIFrameElement && walk.frames.length < probe.maxItems && element.src !== '') {
    const share = isSeen(element, safe) ? shareOfWindow(element.getBoundingClientRect()) : 0;
    walk.frames.push({ url: element.src.slice(0, probe.maxLength), share });
  }
  if (/^h[1-3]$/.test(localName) && walk.headings.length < 3 && isSeen(element, safe))
    walk.headings.push(textIn(element, safe));
  if (walk.isWritten) return;
  const isControl = /^(?:button|input|select|textarea|hr|progress|meter)$/.test(localName);
  const isPicture =
    (element instanceof HTMLImageElement && element.naturalWidth > 0) ||
    (element instanceof HTMLVideoElement && element.readyState >= 2) ||
    localName === 'svg';
  if (!isControl && (!isPicture || walk.drawn === 'window')) return;
  if (isSeen(element, safe) && noteDrawn(walk, element.getBoundingClientRect())) walk.isWritten ||= isControl;
}

/** What a field asks for; undefined for what is not filled in. */
function fieldKind(element: Element): PageField['kind'] | undefined {
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return 'other';
  if (!(element instanceof HTMLInputElement)) return undefined;
  const { type, name, autocomplete } = element;
  if (/^(?:hidden|submit|button|image|reset|checkbox|radio)$/.test(type)) return undefined;
  if (type === 'password') return autocomplete === 'new-password' ? 'other' : 'password';
  const hints = `${name.slice(0, 100)} ${autocomplete.slice(0, 100)}`;
  return type === 'email' || /user|mail|login|identifier/i.test(hints) ? 'user name' : 'other';
}

/** Notes where something is drawn. Returns whether it is in the window. */
function noteDrawn(walk: Walk, box: DOMRect): boolean {
  const isOnPage = box.right > 0 && box.bottom + window.scrollY > 0 && box.width >= 1 && box.height >= 1;
  if (!isOnPage) return false;
  const isInWindow = shareOfWindow(box) > 0;
  if (isInWindow) walk.drawn = 'window';
  else if (walk.drawn === 'nothing') walk.drawn = 'beyond';
  return isInWindow;
}

/** What a visitor does not see, of a page that is short. */
function readSource({ probe, safe }: Walk): Pick<PageSigns, 'scripts' | 'code' | 'elements'> {
  const { selectors, maxItems, maxLength } = probe;
  const page = safe(document);
  const scripts: string[] = [];
  const code: string[] = [];
  for (let at = 0; at < maxItems && at < page.scripts.length; at += 1) {
    const script = page.scripts.item(at) as HTMLScriptElement;
    const { firstChild: inside } = script;
    if (script.src !== '') scripts.push(script.src.slice(0, maxLength));
    else if (inside instanceof Text) code.push(inside.substringData(0, maxLength));
  }
  // One pass finds out whether there is any; ordinary pages have none.
  const isAnyThere = page.querySelector(selectors.join()) !== null;
  return {
    scripts,
    code,
    elements: isAnyThere ? selectors.filter((selector) => page.querySelector(selector) !== null) : [],
  };
}

/** Reads the signs, in the page. */
export const SIGN_READER = {
  run: readSigns,
  uses: [
    walkPage,
    elementOf,
    isRendered,
    isSeen,
    visitText,
    noteWords,
    visitElement,
    fieldKind,
    noteDrawn,
    readWalked,
    readSource,
    readMainPart,
    ...PROSE_PARTS,
    readSurface,
    ...SURFACE_PARTS,
    ...MISSING_PARTS,
  ],
};
