import type { SafeAccess } from '../../pipeline/in-page.js';

/** What fills the window of a page on which no text and no control is drawn. Each fills at least half of the window. */
export interface PageSurface {
  /** A picture that has loaded, a video, a drawing or a canvas on which something is drawn. */
  readonly hasPicture: boolean;
  /** Something whose pixels cannot be read, such as a frame or a canvas of WebGL. */
  readonly hasUnknown: boolean;
  /** Colours of backgrounds, as CSS writes them. */
  readonly colours: readonly string[];
  /** The page has nothing that may have been meant to draw more: no script, no hidden text, no picture or frame. */
  readonly isAll: boolean;
}

/** Where it stops. */
export interface SurfaceLimits {
  readonly maxNodes: number;
  readonly maxItems: number;
}

/** Runs in the page. */
export function readSurface({ maxNodes, maxItems }: SurfaceLimits, safe: SafeAccess): PageSurface {
  const page = safe(document);
  const elements = Array.prototype.slice.call(page.getElementsByTagName('*'), 0, maxNodes) as Element[];
  const surface = { hasPicture: false, hasUnknown: false, colours: new Set<string>() };
  for (const element of elements) {
    if (!fillsWindow(element, safe)) continue;
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    const kind = kindOfMedia(element);
    if (kind === 'drawn' || isDrawnImage(backgroundImage)) surface.hasPicture = true;
    if (kind === 'unknown') surface.hasUnknown = true;
    if (surface.colours.size < maxItems && !/^rgba\(.*, 0\)$/.test(backgroundColor))
      surface.colours.add(backgroundColor);
  }
  const isAll = elements.length < maxNodes && !elements.some(mayDrawMore) && !hasText(page, maxNodes);
  return { ...surface, colours: [...surface.colours], isAll };
}

/** Whether an element covers half of the window. The background of the root and of the body covers all of it. */
function fillsWindow(element: Element, safe: SafeAccess): boolean {
  const target = element instanceof HTMLFormElement ? safe(element) : element;
  if (!target.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  if (element instanceof HTMLHtmlElement || element instanceof HTMLBodyElement) return true;
  return shareOfWindow(target.getBoundingClientRect()) >= 0.5;
}

function kindOfMedia(element: Element): 'drawn' | 'unknown' | undefined {
  // A picture of one pixel is stretched where another one is to come.
  if (element instanceof HTMLImageElement && element.naturalWidth * element.naturalHeight > 1) return 'drawn';
  if (element instanceof HTMLVideoElement && element.readyState >= 2) return 'drawn';
  if (element instanceof SVGSVGElement && element.childElementCount > 0) return 'drawn';
  if (element instanceof HTMLCanvasElement) return isDrawnOn(element) ? 'drawn' : 'unknown';
  const isEmbedded = /^(?:iframe|object|embed|frame)$/.test(element.localName);
  return isEmbedded ? 'unknown' : undefined;
}

/** Whether a canvas has a pixel that is not transparent. That of WebGL may have been cleared after it was shown. */
function isDrawnOn(canvas: HTMLCanvasElement): boolean {
  if (canvas.width * canvas.height === 0) return false;
  const copy = document.createElement('canvas');
  copy.width = copy.height = 8;
  const context = copy.getContext('2d', { willReadFrequently: true });
  if (!context) return false;
  context.drawImage(canvas, 0, 0, 8, 8);
  try {
    return context.getImageData(0, 0, 8, 8).data.some((value) => value > 0);
  } catch {
    // Only what was drawn on it by another site makes it unreadable.
    return true;
  }
}

/** Whether a background has an image that has not failed. */
function isDrawnImage(backgroundImage: string): boolean {
  if (backgroundImage === 'none') return false;
  const [, url] = /^url\("(.*)"\)$/.exec(backgroundImage) ?? [];
  if (url === undefined || url.startsWith('data:')) return true;
  const [entry] = performance.getEntriesByName(url) as PerformanceResourceTiming[];
  return entry !== undefined && entry.responseStatus < 400;
}

function mayDrawMore(element: Element): boolean {
  // Only a form shadows its properties.
  if (element instanceof HTMLFormElement) return true;
  if (element instanceof HTMLScriptElement) return !/json|rules/.test(element.type);
  return /^(?:img|picture|video|canvas|svg|iframe|frame|object|embed|noscript)$/.test(element.localName);
}

/** Whether the body has a text, wherever it is hidden. */
function hasText(page: Document, maxNodes: number): boolean {
  const body = page.body as HTMLElement | null;
  if (!body) return false;
  const walker = page.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let count = 0; count < maxNodes && walker.nextNode(); count += 1) {
    const { parentElement: parent } = walker.currentNode;
    const isCode = parent !== null && /^(?:style|script|template)$/.test(parent.localName);
    if (!isCode && /\S/.test((walker.currentNode as Text).substringData(0, 1_000))) return true;
  }
  return false;
}

export function shareOfWindow({ left, right, top, bottom }: DOMRect): number {
  const width = Math.min(right, window.innerWidth) - Math.max(left, 0);
  const height = Math.min(bottom, window.innerHeight) - Math.max(top, 0);
  return (Math.max(0, width) * Math.max(0, height)) / (window.innerWidth * window.innerHeight);
}

/** What `readSurface` uses. */
export const SURFACE_PARTS = [
  fillsWindow,
  kindOfMedia,
  isDrawnOn,
  isDrawnImage,
  mayDrawMore,
  hasText,
  shareOfWindow,
];
