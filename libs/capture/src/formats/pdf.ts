import { AppError } from '@app/kernel';
import { emulateMedia, type EmulationOptions } from '../options/emulation.js';
import { PdfOptions, sheetOf } from '../options/pdf.js';
import type { StabilityOptions } from '../options/stability.js';
import type { Visit } from '../pipeline/family.js';
import { defineFormat, optionsOf } from '../pipeline/format.js';
import { settlePage } from '../pipeline/settle-page.js';
import { waitForFonts } from '../readiness/idle.js';
import { settleLayout } from '../readiness/settle-layout.js';
import { EPOCH_MS } from '../stability/clock-script.js';
import { checkPages, countPages, prepareDocument } from './pdf-pages.js';

const READ_BYTES = 1024 * 1024;
const FONTS_MS = 5_000;
/** The title of the page stands before the dates. */
const INFO_BYTES = 16_384;

/**
 * Prints the page. The document is read in pieces, so that one of more than `maxBytes` is never held as a whole.
 *
 * @throws AppError `resource_limit`
 */
async function printPdf(visit: Visit, options: PdfOptions & Medium, maxBytes: number): Promise<Buffer> {
  // Chromium leaves out text whose font has not loaded.
  await waitForFonts(visit, performance.now() + Math.min(FONTS_MS, visit.remainingMs() / 3));
  const settings = settingsOf(options);
  const size = await prepareDocument(visit, settings);
  await checkPages(visit, settings, size);
  const print = (): Promise<Buffer> => printWhole(visit, settings, maxBytes);
  return size.hasCanvas ? inPaperWindow(visit, { paper: settings, medium: options }, print) : print();
}

async function printWhole(
  visit: Visit,
  settings: ReturnType<typeof settingsOf>,
  maxBytes: number,
): Promise<Buffer> {
  const { stream } = await visit.cdp.send('Page.printToPDF', { ...settings, transferMode: 'ReturnAsStream' });
  if (stream === undefined) throw new TypeError('Page.printToPDF gave no stream');
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (let eof = false; !eof;) {
    const piece = await visit.cdp.send('IO.read', { handle: stream, size: READ_BYTES });
    const read = Buffer.from(piece.data, piece.base64Encoded ? 'base64' : 'utf8');
    bytes += read.length;
    if (bytes > maxBytes) {
      throw new AppError('resource_limit', { detail: `The PDF has more than ${maxBytes} bytes.` });
    }
    pieces.push(read);
    ({ eof } = piece);
  }
  return Buffer.concat(pieces);
}

function settingsOf(options: PdfOptions) {
  const { pdf_header_html: header, pdf_footer_html: footer } = options;
  return {
    ...sheetOf(options),
    landscape: options.pdf_landscape,
    scale: options.pdf_scale,
    printBackground: options.pdf_background,
    preferCSSPageSize: options.pdf_prefer_css_page_size,
    pageRanges: options.pdf_page_ranges ?? '',
    generateDocumentOutline: options.pdf_outline,
    generateTaggedPDF: options.pdf_tagged || options.pdf_outline,
    displayHeaderFooter: header !== undefined || footer !== undefined,
    // An empty template would mean Chromium's own.
    headerTemplate: DEFAULT_STYLE + templateOf(header, options),
    footerTemplate: templateOf(footer, options),
  };
}

/**
 * Chromium prints headers and footers in letters of less than 1pt. Header and footer are one document, in which later
 * rules win: the default precedes everything of the caller's, and is as weak as a rule on `body`.
 */
const DEFAULT_STYLE = '<style>body { font: 8pt sans-serif }</style>';

/** Without a style of its own, a template would begin at the edge of the paper and lose the spaces around its elements. */
function templateOf(html: string | undefined, options: PdfOptions): string {
  if (html === undefined) return '<span></span>';
  if (/style/i.test(html)) return html;
  const { marginRight, marginLeft } = sheetOf(options);
  const style = `box-sizing: border-box; width: 100%; padding: 0 ${marginRight}in 0 ${marginLeft}in`;
  return `<div style="${style}">${html}</div>`;
}

/** Chromium writes when it printed a document at its start, uncompressed. Dates of the same length leave everything else in place. */
function setDates(bytes: Buffer, ms: number): void {
  const date = new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14);
  const start = bytes.toString('latin1', 0, INFO_BYTES);
  bytes.write(start.replace(/(\/(?:CreationDate|ModDate) \(D:)\d{14}/g, `$1${date}`), 'latin1');
}

export const pdf = defineFormat({
  name: 'pdf',
  label: 'PDF',
  kind: 'print',
  doc: 'The page, printed.',
  contentType: 'application/pdf',
  extension: 'pdf',
  disposition: 'inline',
  isLossy: false,
  isCompressed: true,
  isSeenByModels: false,
  comparedAs: null,
  options: optionsOf(PdfOptions),
  render: async (visit, options: PdfOptions & Medium & Pick<StabilityOptions, 'stable'>, { maxBytes }) => {
    const bytes = await printPdf(visit, options, maxBytes);
    if (options.stable) setDates(bytes, EPOCH_MS);
    return { bytes, facts: { pages: countPages(bytes) } };
  },
});

/** Maximum wait for scripts that draw again in the width of the paper. */
const QUIET_MS = 2_000;
/** CSS px per inch. */
const DENSITY = 96;

type Medium = Pick<EmulationOptions, 'dark_mode' | 'reduced_motion' | 'media_type'>;

interface Paper {
  readonly paperWidth: number;
  readonly paperHeight: number;
  readonly marginLeft: number;
  readonly marginRight: number;
  readonly landscape: boolean;
  readonly scale: number;
}

/**
 * Prints a page whose scripts draw (charts, maps) in a window as wide as the paper: they draw for the width of the window and do not learn
 * of the printed layout. In a window of another width, their drawings would overlap the text.
 */
async function inPaperWindow<T>(
  visit: Visit,
  { paper, medium }: { readonly paper: Paper; readonly medium: Medium },
  print: () => Promise<T>,
): Promise<T> {
  const { cdp, metrics } = visit;
  const setWindow = async (width: number, media: Medium): Promise<void> => {
    await Promise.all([
      emulateMedia({ cdp }, media, true),
      cdp.send('Emulation.setDeviceMetricsOverride', { ...metrics, width }),
    ]);
  };
  const printed: Medium = { ...medium, media_type: medium.media_type ?? 'print' };
  await settleLayout(visit, () => setWindow(widthOf(paper), printed), QUIET_MS);
  await settlePage(visit, false);
  try {
    return await print();
  } finally {
    await setWindow(metrics.width, medium);
  }
}

/** Width of the printed area in CSS px of the document. */
function widthOf({ paperWidth, paperHeight, marginLeft, marginRight, landscape, scale }: Paper): number {
  const inches = (landscape ? paperHeight : paperWidth) - marginLeft - marginRight;
  return Math.max(100, Math.floor((inches * DENSITY) / scale));
}
