import { AppError } from '@app/kernel';
import type { Visit } from '../pipeline/family.js';
import { inPage, type Bare } from '../pipeline/in-page.js';
import { inTime, WaitRanOutError } from '../pipeline/patience.js';

/**
 * Most pages of one PDF. Chromium's time for a page grows with the pages of the document: measured on two cores, 1,000 short
 * pages take 0.5 s, 2,000 take 3 to 14 s, 5,000 take 17 s, and at 20,000 the layout alone outlasts every deadline.
 */
export const MAX_PDF_PAGES = 2_000;
/** A document with no more elements, and no more height than so many pages, has not many pages however it breaks them. */
const PLAIN_ELEMENTS = 2_000;
const PLAIN_PAGES = 200;
/** For Chromium to divide a document into pages, before any is printed. */
const LAYOUT_MS = 10_000;

/** How a document is divided into pages; as `Page.printToPDF` takes it. */
interface PrintSettings {
  readonly paperWidth: number;
  readonly paperHeight: number;
  readonly marginTop: number;
  readonly marginBottom: number;
  readonly landscape: boolean;
  readonly scale: number;
  readonly pageRanges: string;
}

/**
 * Refuses to print more pages than a PDF may have, before the first of them is printed. Only documents that may be so long are
 * looked at: Chromium reveals the number of pages only when it prints the first one too many, for which it lays out all of them.
 *
 * @throws AppError `resource_limit`
 */
export async function checkPages(visit: Visit, settings: PrintSettings): Promise<void> {
  const { height, elements } = await inPage(visit, measure, null);
  if (elements <= PLAIN_ELEMENTS && height <= PLAIN_PAGES * heightOfPage(settings)) return;
  const excess = pageNumber(settings.pageRanges, MAX_PDF_PAGES);
  const isThere = await hasPage(visit, settings, excess ?? pageNumber(settings.pageRanges, 0) ?? 1);
  if (isThere && excess !== undefined) {
    throw new AppError('resource_limit', {
      detail: `The PDF has more than ${MAX_PDF_PAGES} pages; pdf_page_ranges prints some of them.`,
    });
  }
}

/** What takes time for the whole document, whichever page is printed, and does not change how it is divided. */
const PLAIN = {
  generateTaggedPDF: false,
  generateDocumentOutline: false,
  displayHeaderFooter: false,
} as const;

async function hasPage(visit: Visit, settings: PrintSettings, page: number): Promise<boolean> {
  const ms = Math.min(LAYOUT_MS, visit.remainingMs() / 3);
  const printing = visit.cdp
    .send('Page.printToPDF', {
      ...settings,
      ...PLAIN,
      pageRanges: String(page),
      transferMode: 'ReturnAsStream',
    })
    // Without such a page there is an error. Any other one comes again when the document is printed.
    .catch(() => undefined);
  try {
    const printed = await inTime({ until: performance.now() + ms, otherwise: 'layout' }, printing);
    if (printed?.stream === undefined) return false;
    await visit.cdp.send('IO.close', { handle: printed.stream });
    return true;
  } catch (error) {
    if (!(error instanceof WaitRanOutError)) throw error;
    throw new AppError('resource_limit', {
      detail: `The document could not be divided into pages within ${Math.round(ms)} ms.`,
    });
  }
}

/** Runs in the page. */
function measure(_: null, bare: Bare): { height: number; elements: number } {
  const page = bare(document);
  const root = page.documentElement as HTMLElement | null;
  return { height: root ? bare(root).scrollHeight : 0, elements: page.getElementsByTagName('*').length };
}

/** In CSS px of the document. */
function heightOfPage(settings: PrintSettings): number {
  const { paperWidth, paperHeight, marginTop, marginBottom, landscape, scale } = settings;
  return (((landscape ? paperWidth : paperHeight) - marginTop - marginBottom) * 96) / scale;
}

/** The page that is printed after so many others; undefined when the ranges name no more. Without ranges all pages are printed. */
export function pageNumber(ranges: string, index: number): number | undefined {
  if (ranges.trim() === '') return index + 1;
  const sorted = ranges
    .split(',')
    .map((range) => range.split('-').map(Number))
    .map(([first = 1, last = first]) => ({ first, last }))
    .sort((a, b) => a.first - b.first);
  let skipped = index;
  let next = 1;
  for (const { first, last } of sorted) {
    const start = Math.max(first, next);
    const count = Math.max(0, last - start + 1);
    if (skipped < count) return start + skipped;
    skipped -= count;
    next = Math.max(next, last + 1);
  }
  return undefined;
}
