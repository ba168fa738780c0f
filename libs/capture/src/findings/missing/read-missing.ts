import { undrawnLetters } from '@app/kernel';
import type { SafeAccess } from '../../pipeline/in-page.js';

/** What the page shows nothing of. The page decides what is in it, and may lie. */
export interface MissingSigns {
  /** Letters that no font has, neither of the page nor of the machine, and how often the text has them. */
  readonly letters: readonly { readonly letter: string; readonly count: number }[];
  /** The new letters that the fonts of the machine have, and those that they lack. */
  readonly drawn: string;
  readonly lacking: string;
  /** URLs of pictures that are broken or not there yet. */
  readonly images: readonly string[];
  /** Frames that are shown, whether or not they have loaded. */
  readonly frames: readonly { readonly url: string; readonly isLazy: boolean }[];
}

/** The part of the page that the file shows: the page, the window, an element, or a clip in CSS px of the page. */
export type ShownPart =
  | 'page'
  | 'window'
  | { readonly selector: string }
  | Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

export interface MissingProbe {
  readonly part: ShownPart;
  /** Chromium loads lazy pictures when it prints. */
  readonly isPrinted: boolean;
  /** Letters that need no look: single ones, and blocks of 128 code points. */
  readonly letters: string;
  readonly blocks: readonly number[];
}

interface MissingRead {
  readonly probe: MissingProbe;
  /** The document and open shadow roots. */
  readonly roots: readonly (Document | ShadowRoot)[];
  readonly safe: SafeAccess;
}

/** Runs in the page. Null when the page cannot be read, such as XML. */
export function readMissing(read: MissingRead): MissingSigns | null {
  try {
    const box = boxOf(read.probe.part, read.safe);
    const found = read.roots.flatMap(
      (root) =>
        Array.prototype.slice.call(
          read.safe(root).querySelectorAll('img, iframe, frame'),
          0,
          2_000,
        ) as Element[],
    );
    const isShown = (element: Element): boolean => !isTiny(element) && isInBox(element, box);
    const images = found.filter(
      (each) => each instanceof HTMLImageElement && isAbsent(each, read.probe) && isShown(each),
    ) as HTMLImageElement[];
    const frames = found.filter(
      (each) => /^i?frame$/.test(each.localName) && isShown(each),
    ) as HTMLIFrameElement[];
    return {
      ...readLetters(read, box),
      images: images.slice(0, 100).map(({ currentSrc, src }) => (currentSrc || src).slice(0, 8_192)),
      frames: frames
        .slice(0, 100)
        .map(({ src, loading }) => ({ url: src.slice(0, 8_192), isLazy: loading === 'lazy' })),
    };
  } catch {
    return null;
  }
}

/** The part as it lies in the window; null for the whole page, and for an element that is not there. */
function boxOf(part: ShownPart, safe: SafeAccess): DOMRect | null {
  if (part === 'page') return null;
  if (part === 'window') return new DOMRect(0, 0, window.innerWidth, window.innerHeight);
  if (!('selector' in part))
    return new DOMRect(part.x - window.scrollX, part.y - window.scrollY, part.width, part.height);
  const element = safe(document).querySelector(part.selector);
  return element && Element.prototype.getBoundingClientRect.call(element);
}

function isInBox(element: Element, box: DOMRect | null): boolean {
  const options = { opacityProperty: true, visibilityProperty: true };
  if (!Element.prototype.checkVisibility.call(element, options)) return false;
  return box === null || doMeet(Element.prototype.getBoundingClientRect.call(element), box);
}

/** A broken picture without an alternative text has no size, but it has a place. */
function doMeet(one: DOMRect, other: DOMRect): boolean {
  return (
    one.left <= other.right && one.right >= other.left && one.top <= other.bottom && one.bottom >= other.top
  );
}

/** What counts visitors has hardly any size. Chromium gives none to a broken picture that has no alternative text. */
function isTiny(element: Element): boolean {
  const { width, height } = getComputedStyle(element);
  const isCollapsed = width === '0px' && height === '0px';
  const { style } = element as HTMLElement;
  const shown = isCollapsed ? [style.width, style.height] : [width, height];
  const sizes = [...shown, element.getAttribute('width'), element.getAttribute('height')];
  return sizes.some((size) => size !== null && !size.endsWith('%') && Number.parseFloat(size) <= 2);
}

function isAbsent(img: HTMLImageElement, { isPrinted }: MissingProbe): boolean {
  if (!img.currentSrc && !img.src) return false;
  return img.complete ? img.naturalWidth === 0 : !(isPrinted && img.loading === 'lazy');
}

type LetterSigns = Pick<MissingSigns, 'letters' | 'drawn' | 'lacking'>;

/**
 * Draws each new letter of the text: at first with the fonts of the machine, and what they lack with those of the
 * text. Latin letters need no look.
 */
function readLetters(read: MissingRead, box: DOMRect | null): LetterSigns {
  const found = newLetters(read, box);
  const font = '24px sans-serif';
  // A code point of no script. If it seems to be drawn, the page has no canvas, or hides its text.
  if (found.size === 0 || undrawnLetters({ letters: ['\u{3fffd}'], font }).length === 0)
    return { letters: [], drawn: '', lacking: '' };
  const lacking = undrawnLetters({ letters: [...found.keys()], font });
  const drawn = [...found.keys()].filter((letter) => !lacking.includes(letter)).join('');
  const ofFont = new Map<string, string[]>();
  for (const letter of lacking) {
    const { parent } = found.get(letter) as { parent: Element };
    const { fontStyle, fontWeight, fontFamily } = getComputedStyle(parent);
    const own = `${fontStyle} ${fontWeight} 24px ${fontFamily}`;
    ofFont.set(own, [...(ofFont.get(own) ?? []), letter]);
  }
  const missing = [...ofFont].flatMap(([own, letters]) => undrawnLetters({ letters, font: own }));
  const letters = missing.map((letter) => ({ letter, count: found.get(letter)?.count ?? 0 }));
  return { letters, drawn, lacking: lacking.join('') };
}

/** The letters that are shown and not known yet, at most 200 (each takes up to 0.2 ms), how often they are there, and the first element with each. */
function newLetters(
  { probe, roots, safe }: MissingRead,
  box: DOMRect | null,
): Map<string, { count: number; readonly parent: Element }> {
  const found = new Map<string, { count: number; readonly parent: Element }>();
  let pattern: RegExp | undefined;
  // The sets of Unicode take a millisecond in a page that has not used them, and most pages are Latin.
  const isNew = (text: string): boolean =>
    /[^\0-\u036f]/.test(text) && (pattern ??= newLetterPattern(probe)).test(text);
  // Neither spaces and joiners, nor what is no character.
  const isUndrawn = /[\p{Cn}\p{Cs}\p{Cc}]/u;
  let left = 10_000;
  for (const root of roots) {
    if (isSmall(safe(document)) && !isNew(safe(root).textContent ?? bodyText(safe))) continue;
    const walker = safe(document).createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (; left > 0 && walker.nextNode(); left -= 1) {
      const text = (walker.currentNode as Text).substringData(0, 10_000);
      const { parentElement: parent } = walker.currentNode;
      if (!isNew(text) || !parent || !isInBox(parent, box)) continue;
      for (const letter of text) {
        if (!isNew(letter) || isUndrawn.test(letter)) continue;
        const seen = found.get(letter);
        if (seen) seen.count += 1;
        else if (found.size < 200) found.set(letter, { count: 1, parent });
      }
    }
  }
  return found;
}

/** Latin letters, spaces and joiners are not new, nor are those that are known. */
function newLetterPattern({ letters, blocks }: MissingProbe): RegExp {
  const code = (value: number): string => `\\u{${value.toString(16)}}`;
  const single = Array.from(letters, (letter) => code(letter.codePointAt(0) ?? 0)).join('');
  const ranges = blocks.map((block) => `${code(block * 128)}-${code(block * 128 + 127)}`).join('');
  return new RegExp(`[^\\u{0}-\\u{36f}\\s\\p{Default_Ignorable_Code_Point}${single}${ranges}]`, 'u');
}

/** Whether all text can be read at once, which takes a tenth of the time of a walk. */
function isSmall(page: Document): boolean {
  const [times] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return (times?.decodedBodySize ?? 0) < 5e6 && page.getElementsByTagName('*').length < 100_000;
}

/** A document has no text of its own. */
function bodyText(safe: SafeAccess): string {
  const body = safe(document).body as HTMLElement | null;
  return body ? (safe(body).textContent ?? '') : '';
}

/** What `readMissing` uses. */
export const MISSING_PARTS = [
  readMissing,
  boxOf,
  isInBox,
  doMeet,
  isTiny,
  isAbsent,
  readLetters,
  newLetters,
  newLetterPattern,
  isSmall,
  bodyText,
  undrawnLetters,
];
