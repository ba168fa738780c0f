import { AppError } from '@app/kernel';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { MAX_PDF_PAGES } from '../options/pdf.js';
import { WaitTimeoutError, withDeadline } from '../pipeline/wait.js';

/** A document with at most this many elements and this height in pages stays far below the limit, however it breaks pages. */
const PLAIN_ELEMENTS = 2_000;
const PLAIN_PAGES = 200;
/** The settings of `Page.printToPDF` that decide how a document is divided into pages. */
export interface PrintSettings {
  readonly paperWidth: number;
  readonly paperHeight: number;
  readonly marginTop: number;
  readonly marginRight: number;
  readonly marginBottom: number;
  readonly marginLeft: number;
  readonly landscape: boolean;
  readonly preferCSSPageSize: boolean;
  readonly scale: number;
  readonly pageRanges: string;
}

/**
 * Fails before printing when the PDF would have too many pages. It checks only documents that may be that long, by printing
 * the first page over the limit: Chromium does not report the number of pages, and has to lay out all of them for this.
 *
 * @throws AppError `resource_limit`
 */
export async function checkPages(
  visit: Visit,
  settings: PrintSettings,
  { height, elements }: DocumentSize,
): Promise<void> {
  if (elements <= PLAIN_ELEMENTS && height <= PLAIN_PAGES * heightOfPage(settings)) return;
  const excess = pageNumber(settings.pageRanges, MAX_PDF_PAGES);
  if (excess !== undefined && (await hasPage(visit, settings, excess))) {
    throw new AppError('resource_limit', {
      detail: `The PDF has more than ${MAX_PDF_PAGES} pages; pdf_page_ranges prints some of them.`,
    });
  }
}

/** Switches off what takes time for the whole document and does not change how it is divided. */
const PLAIN = {
  generateTaggedPDF: false,
  generateDocumentOutline: false,
  displayHeaderFooter: false,
} as const;

async function hasPage(visit: Visit, settings: PrintSettings, page: number): Promise<boolean> {
  // Printing divides the document once more, and takes longer than that.
  const ms = visit.remainingMs() / 3;
  const printing = visit.cdp
    .send('Page.printToPDF', {
      ...settings,
      ...PLAIN,
      pageRanges: String(page),
      transferMode: 'ReturnAsStream',
    })
    // Chromium reports a missing page as an error. Any other error occurs again when the document is printed.
    .catch(() => undefined);
  try {
    const printed = await withDeadline({ until: performance.now() + ms, message: 'layout' }, printing);
    if (printed?.stream === undefined) return false;
    await visit.cdp.send('IO.close', { handle: printed.stream });
    return true;
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    throw new AppError('resource_limit', {
      detail: `The document could not be divided into pages within ${Math.round(ms)} ms, a third of the time that was left; pdf_page_ranges prints some of them, and a larger timeout_ms allows more.`,
    });
  }
}

export interface DocumentSize {
  /** In CSS px. */
  readonly height: number;
  readonly elements: number;
  /** Something in it was drawn by a script for a certain size. */
  readonly hasCanvas: boolean;
}

/** Measures the document, and makes the paper and the margins of the settings hold for it. */
export function prepareDocument(visit: Visit, settings: PrintSettings): Promise<DocumentSize> {
  return inPage(visit, prepare, settings.preferCSSPageSize ? null : pageRule(settings));
}

/**
 * A rule that beats the `@page` rules of the page. Without it, Chromium turns the paper, lays out pages of the size that the
 * page states and puts them on the middle of the paper.
 */
function pageRule({ landscape, ...settings }: PrintSettings): string {
  const { paperWidth: width, paperHeight: height } = settings;
  const size = (landscape ? [height, width] : [width, height]).map((inches) => `${inches}in`).join(' ');
  const { marginTop, marginRight, marginBottom, marginLeft } = settings;
  // Without the rule Chromium takes whole points, and nothing should move by it.
  const margin = [marginTop, marginRight, marginBottom, marginLeft]
    .map((inches) => `${Math.round(inches * 72)}pt`)
    .join(' ');
  return `@page { size: ${size} !important; margin: ${margin} !important }`;
}

/** Runs in the page. The sheet of an earlier file of the same visit makes room. */
function prepare(rule: string | null, safe: SafeAccess): DocumentSize {
  const page = safe(document);
  const world = globalThis as unknown as Record<symbol, CSSStyleSheet | undefined>;
  const earlier = world[Symbol.for('page rule')];
  const others = [...page.adoptedStyleSheets].filter((sheet) => sheet !== earlier);
  const sheet = rule === null ? undefined : new CSSStyleSheet();
  sheet?.replaceSync(rule ?? '');
  if (sheet ?? earlier) page.adoptedStyleSheets = sheet ? [...others, sheet] : others;
  world[Symbol.for('page rule')] = sheet;
  const root = page.documentElement as HTMLElement | null;
  return {
    height: root ? safe(root).scrollHeight : 0,
    elements: page.getElementsByTagName('*').length,
    hasCanvas: page.getElementsByTagName('canvas').length > 0,
  };
}

/** Height of a page in CSS px of the document. */
function heightOfPage(settings: PrintSettings): number {
  const { paperWidth, paperHeight, marginTop, marginBottom, landscape, scale } = settings;
  return (((landscape ? paperWidth : paperHeight) - marginTop - marginBottom) * 96) / scale;
}

/** The page that is printed after `index` others; undefined when the ranges name fewer. Without ranges all pages are printed. */
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

/** Enough for the trailer of a file, and for each of the short objects below. */
const READ_CHARS = 4_096;
/** Length of a line in the cross-reference table. */
const ENTRY_BYTES = 20;

/**
 * The number of pages of a PDF that Chromium wrote, with a plain cross-reference table at its end. Null for a file without
 * one. It reads only the objects on the path to the number, by their offsets, because the page controls the text of others.
 */
export function countPages(pdf: Buffer): number | null {
  const end = pdf.toString('latin1', Math.max(0, pdf.length - READ_CHARS));
  const table = /\bstartxref\s+(\d+)\s+%%EOF\s*$/.exec(end)?.[1];
  const root = /\/Root (\d+) 0 R/.exec(end.slice(end.lastIndexOf('trailer')))?.[1];
  if (table === undefined || root === undefined) return null;
  const objectOf = (number: string): string => objectAt(pdf, Number(table), Number(number));
  const pages = /\/Pages (\d+) 0 R/.exec(objectOf(root))?.[1];
  const count = pages === undefined ? undefined : /\/Count (\d+)/.exec(objectOf(pages))?.[1];
  return count === undefined ? null : Number(count);
}

/** The text of an object, '' when there is none with this number. */
function objectAt(pdf: Buffer, table: number, number: number): string {
  const head = /^xref\s+0 \d+\s+/.exec(pdf.toString('latin1', table, table + READ_CHARS))?.[0];
  if (head === undefined) return '';
  const entry = table + head.length + number * ENTRY_BYTES;
  const place = Number(pdf.toString('latin1', entry, entry + 10));
  const text = pdf.toString('latin1', place, place + READ_CHARS);
  return text.startsWith(`${number} 0 obj`) ? (text.split('endobj', 1)[0] ?? '') : '';
}
