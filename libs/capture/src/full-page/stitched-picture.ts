import { randomUUID } from 'node:crypto';
import type { CaptureArea, PageSize } from '../pipeline/capture-area.js';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { OwnRules } from './own-rules.js';
import { waitUntilStill } from './show-seen.js';

const MAX_RULES = 500;

/**
 * Takes pictures of the window, one below the other, and joins them to a PNG of the area: the page is drawn as it looks wherever it is
 * scrolled to. What is fixed to the window is in the first picture only, unless it fills the window behind the page.
 */
export async function stitchPicture(
  visit: Visit,
  area: CaptureArea,
  { windowHeight, windowY }: PageSize,
): Promise<Uint8Array> {
  const { clip } = area;
  if (!clip) throw new RangeError('Only an area of the page is stitched.');
  const strips: Buffer[] = [];
  for (let top = 0; top < clip.height; top += windowHeight) {
    visit.signal.throwIfAborted();
    const height = Math.min(windowHeight, clip.height - top);
    await bringIntoWindow(visit, clip.y + top);
    strips.push(await takeStrip(visit, { ...clip, y: clip.y + top, height }));
  }
  await inPage(visit, showPinned, windowY);
  return joined(strips, area);
}

async function bringIntoWindow(visit: Visit, y: number): Promise<void> {
  await inPage(visit, scrollTo, y);
  await waitUntilStill(visit, 1);
  const mark = `data-${randomUUID()}`;
  await inPage(visit, { run: hidePinned, uses: [OwnRules] }, { isFirst: y === 0, mark, maxRules: MAX_RULES });
}

async function takeStrip({ cdp }: Visit, clip: CaptureArea['clip']): Promise<Buffer> {
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true, clip });
  return Buffer.from(data, 'base64');
}

/** The library is loaded here, because most captures need none. */
async function joined(strips: readonly Buffer[], { width, height }: CaptureArea): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  // Each strip has a cell of the same height, so that the last one is followed by what is cut here.
  const isOne = strips.length === 1;
  const all = isOne
    ? sharp(strips[0], { limitInputPixels: false })
    : sharp([...strips], { join: { across: 1, valign: 'top' }, limitInputPixels: false });
  return all.extract({ left: 0, top: 0, width, height }).png({ compressionLevel: 1 }).toBuffer();
}

/** Runs in the page. */
function scrollTo(top: number): void {
  window.scrollTo({ top, behavior: 'instant' });
}

/** What the isolated world keeps between two calls, under a symbol: an element's name could shadow a string. */
interface World {
  [key: symbol]: OwnRules | undefined;
}

interface Hiding {
  readonly isFirst: boolean;
  readonly mark: string;
  readonly maxRules: number;
}

/** Runs in the page. Hides what is pinned to the window, besides what fills it. The first picture shows it. */
function hidePinned({ isFirst, mark, maxRules }: Hiding, safe: SafeAccess): void {
  const world = globalThis as unknown as World;
  const key = Symbol.for('hidden in strips');
  world[key]?.remove(() => undefined);
  world[key] = undefined;
  if (isFirst) return;
  const rules = new OwnRules(mark, maxRules, safe);
  world[key] = rules;
  const elements = Array.prototype.slice.call(
    safe(document).getElementsByTagName('*'),
    0,
    20_000,
  ) as Element[];
  const isStuck = (element: Element, { top, bottom }: CSSStyleDeclaration): boolean => {
    const box = Element.prototype.getBoundingClientRect.call(element);
    const gaps = [box.top - parseFloat(top), window.innerHeight - box.bottom - parseFloat(bottom)];
    return box.height < window.innerHeight / 2 && gaps.some((gap) => Math.abs(gap) < 1);
  };
  const fills = (element: Element): boolean => {
    const { width, height } = Element.prototype.getBoundingClientRect.call(element);
    return width >= window.innerWidth * 0.9 && height >= window.innerHeight * 0.9;
  };
  const pinned = elements.filter((element) => {
    const style = getComputedStyle(element);
    if (style.position === 'fixed') return !fills(element);
    return style.position === 'sticky' && isStuck(element, style);
  });
  for (const element of pinned) rules.set(element, { opacity: '0', transition: 'none' });
}

/** Runs in the page. */
function showPinned(top: number): void {
  const world = globalThis as unknown as World;
  world[Symbol.for('hidden in strips')]?.remove(() => undefined);
  window.scrollTo({ top, behavior: 'instant' });
}
