import type { Fault } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';
import { Choice, Decimal, Flag, Text } from '../pipeline/option-fields.js';
import { templateFault } from './pdf-template-rule.js';

/** Portrait width and height in inches. */
const PAPERS = {
  a0: [33.1102, 46.811],
  a1: [23.3858, 33.1102],
  a2: [16.5354, 23.3858],
  a3: [11.6929, 16.5354],
  a4: [8.2677, 11.6929],
  a5: [5.8268, 8.2677],
  a6: [4.1339, 5.8268],
  letter: [8.5, 11],
  legal: [8.5, 14],
  tabloid: [11, 17],
  ledger: [17, 11],
} as const satisfies Record<string, readonly [number, number]>;

type Paper = keyof typeof PAPERS;

const INCHES_PER_UNIT: Readonly<Record<string, number>> = { px: 1 / 96, in: 1, cm: 1 / 2.54, mm: 1 / 25.4 };
/**
 * Maximum number of pages of a PDF. Chromium's time for a page grows with the number of pages: on two cores, 1,000 short pages
 * take 0.5 s, 2,000 take 3 to 14 s and 5,000 take 17 s; at 20,000 the layout alone exceeds every timeout.
 */
export const MAX_PDF_PAGES = 2_000;
/** The largest page that PDF readers support: 14,400 points. */
const MAX_INCHES = 200;

const length = { max: 20, check: lengthFault, example: '20mm' };
const margin = { ...length, check: (text: string) => (text === '0' ? undefined : lengthFault(text)) };

export class PdfOptions {
  @Choice(Object.keys(PAPERS), 'Paper size.', {
    exposure: 'public',
    alsoCalled: ['paper', 'paper_format', 'paper_size', 'page_size'],
  })
  pdf_paper: Paper = 'a4';

  @Text('Width of the paper (`px`, `in`, `cm` or `mm`), with `pdf_height` and instead of `pdf_paper`.', {
    exposure: 'public',
    ...length,
    example: '148mm',
  })
  pdf_width?: string;

  @Text('Height of the paper (`px`, `in`, `cm` or `mm`), with `pdf_width` and instead of `pdf_paper`.', {
    exposure: 'public',
    ...length,
    example: '210mm',
  })
  pdf_height?: string;

  @Flag('Uses landscape orientation.', { exposure: 'public' })
  pdf_landscape = false;

  @Text('Top margin: 0, or a number with `px`, `in`, `cm` or `mm`.', { ...margin, exposure: 'public' })
  pdf_margin_top = '1cm';

  @Text('Right margin: 0, or a number with `px`, `in`, `cm` or `mm`.', { ...margin, exposure: 'public' })
  pdf_margin_right = '1cm';

  @Text('Bottom margin: 0, or a number with `px`, `in`, `cm` or `mm`.', { ...margin, exposure: 'public' })
  pdf_margin_bottom = '1cm';

  @Text('Left margin: 0, or a number with `px`, `in`, `cm` or `mm`.', { ...margin, exposure: 'public' })
  pdf_margin_left = '1cm';

  @Decimal('Scale of the content.', { exposure: 'public', min: 0.1, max: 2 })
  pdf_scale = 1;

  @Flag('Prints backgrounds.', { exposure: 'public', alsoCalled: ['print_background'] })
  pdf_background = true;

  @Text(`Pages to print, at most ${MAX_PDF_PAGES}.`, {
    exposure: 'public',
    max: 200,
    check: pageRangesFault,
    example: '1-3,5',
    alsoCalled: ['page_ranges', 'pages'],
  })
  pdf_page_ranges?: string;

  @Text(
    'HTML of the page header. Elements with the class `date`, `title`, `url`, `pageNumber` or `totalPages` are filled in. Its text is 8pt unless its own style sets another size; without any style of its own, it is placed between the left and the right margin. Scripts do not run and nothing is fetched; embed images as `data:` URLs.',
    { exposure: 'public', max: 20_000, check: templateFault },
  )
  pdf_header_html?: string;

  @Text('HTML of the page footer, like `pdf_header_html`.', {
    exposure: 'public',
    max: 20_000,
    check: templateFault,
  })
  pdf_footer_html?: string;

  @Flag(
    'Lets the `@page` rules of the page decide on the size of the paper and on the margins. Otherwise the options decide on both, whatever the page states.',
    { exposure: 'public' },
  )
  pdf_prefer_css_page_size = false;

  @Flag('Adds an outline (bookmarks) of the headings.', { exposure: 'public' })
  pdf_outline = false;

  @Flag('Adds tags for screen readers.', { exposure: 'public' })
  pdf_tagged = true;
}

function inches(length: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(px|in|cm|mm)$/.exec(length) ?? [];
  const perUnit = INCHES_PER_UNIT[unit ?? ''];
  return number === undefined || perUnit === undefined ? undefined : Number(number) * perUnit;
}

function lengthFault(length: string): string | undefined {
  const size = inches(length);
  if (size === undefined) return 'must be a number with px, in, cm or mm, such as 20mm';
  return size > MAX_INCHES ? `must be at most ${MAX_INCHES}in` : undefined;
}

function pageRangesFault(ranges: string): string | undefined {
  const isRange = (range: string): boolean => {
    const [match, first, last] = /^\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*$/.exec(range) ?? [];
    return match !== undefined && Number(first) >= 1 && Number(last ?? first) >= Number(first);
  };
  return ranges.split(',').every(isRange)
    ? undefined
    : 'must be pages and ranges such as 1-3,5, the first page of a range not after its last';
}

/** Paper and margins in inches, as Chromium expects them. */
export function sheetOf(options: PdfOptions) {
  const [width, height] = PAPERS[options.pdf_paper];
  return {
    paperWidth: inches(options.pdf_width ?? '') ?? width,
    paperHeight: inches(options.pdf_height ?? '') ?? height,
    marginTop: inches(options.pdf_margin_top) ?? 0,
    marginRight: inches(options.pdf_margin_right) ?? 0,
    marginBottom: inches(options.pdf_margin_bottom) ?? 0,
    marginLeft: inches(options.pdf_margin_left) ?? 0,
  };
}

/** Chromium refuses an empty print area. */
const MIN_PRINT_AREA_INCHES = 0.1;

function check(options: PdfOptions, given: ReadonlySet<string>): Fault[] {
  const faults: Fault[] = [];
  const conflict = (name: string, detail: string): void => {
    faults.push({ pointer: `/${name}`, code: 'conflict', detail });
  };
  if ((options.pdf_width === undefined) !== (options.pdf_height === undefined)) {
    const [name, other] =
      options.pdf_width === undefined ? ['pdf_height', 'pdf_width'] : ['pdf_width', 'pdf_height'];
    conflict(name, `needs ${other}`);
  } else if (options.pdf_width !== undefined && given.has('pdf_paper')) {
    conflict('pdf_paper', 'must not be combined with pdf_width and pdf_height');
  }
  const sheet = sheetOf(options);
  const [width, height] = options.pdf_landscape
    ? [sheet.paperHeight, sheet.paperWidth]
    : [sheet.paperWidth, sheet.paperHeight];
  if (width - sheet.marginLeft - sheet.marginRight < MIN_PRINT_AREA_INCHES) {
    conflict(given.has('pdf_width') ? 'pdf_width' : 'pdf_margin_left', 'leaves no room between the margins');
  }
  if (height - sheet.marginTop - sheet.marginBottom < MIN_PRINT_AREA_INCHES) {
    conflict(given.has('pdf_height') ? 'pdf_height' : 'pdf_margin_top', 'leaves no room between the margins');
  }
  return faults;
}

/** The paper of a caller is neither half the operator's, nor turned, nor replaced by the size that the page prefers. */
const decides = {
  pdf_paper: ['pdf_width', 'pdf_height', 'pdf_prefer_css_page_size'],
  pdf_width: ['pdf_height', 'pdf_paper', 'pdf_landscape', 'pdf_prefer_css_page_size'],
  pdf_height: ['pdf_width', 'pdf_paper', 'pdf_landscape', 'pdf_prefer_css_page_size'],
};

export const pdf = defineFamily({ name: 'pdf', doc: 'How a PDF is printed.' }, PdfOptions, {
  check,
  decides,
});
