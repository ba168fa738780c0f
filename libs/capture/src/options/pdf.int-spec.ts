import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { extractText, getDocumentProxy } from 'unpdf';
import { Capturing } from '../../../../test/support/capturing.js';
import type { CaptureOptions } from '../request/capture-options.js';

/** In points, as Chromium rounds it. */
const A4 = [596, 842];

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

async function print(options: Partial<CaptureOptions> = {}, page: string | null = '/print.html') {
  const { bytes, facts } = await capturing.capture(page, { format: 'pdf', ...options });
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: false });
  const first = await document.getPage(1);
  const [, , width = 0, height = 0] = first.view;
  const { items } = await first.getTextContent();
  const heading = items.find((item) => 'str' in item && item.str.startsWith('Chapter'));
  return {
    bytes: Buffer.from(bytes).toString('latin1'),
    pages: facts.pages,
    size: bytes.length,
    text,
    /** Font size and left edge, in points, of each text on the first page that begins with `start`. */
    places: (start: string) =>
      items
        .filter((item) => 'str' in item && item.str.startsWith(start))
        .map((item) => placeOf('transform' in item ? (item.transform as number[]) : [], height))
        .map(({ size, left }) => ({ size, left })),
    /** Size of the first page, in points. */
    sheet: [Math.round(width), Math.round(height)],
    /** Where the first heading begins, in points from the left and from the top, and how high it is. */
    heading: heading && 'transform' in heading ? placeOf(heading.transform as number[], height) : undefined,
    /** Of text on the first page. */
    lines: items.filter((item) => 'hasEOL' in item && item.hasEOL).length,
    outline: await document.getOutline(),
  };
}

function placeOf([, , , size = 0, x = 0, y = 0]: number[], height: number) {
  return { left: Math.round(x), top: Math.round(height - y), size: Math.round(size) };
}

describe('a PDF', () => {
  it('has the pages of the print style', async () => {
    const { text, sheet, outline } = await print();
    expect(text).toHaveLength(3);
    expect(text.join(' ')).toMatch(/Chapter one\s+only in print\s+Chapter two\s+a link\s+Chapter three/);
    expect(text.join(' ')).not.toContain('only on screen');
    expect(sheet).toEqual(A4);
    expect(outline).toBeNull();
  });
});

describe('a PDF of a page whose script draws', () => {
  const charts = `<style>body { margin: 0 }</style><canvas></canvas><p></p><script>
    const draw = () => {
      document.querySelector('canvas').width = innerWidth;
      document.querySelector('p').textContent = 'drawn ' + innerWidth + ' wide';
    };
    addEventListener('resize', draw);
    draw();
  </script>`;

  it('is drawn in the width of its paper', async () => {
    const { bytes } = await capturing.capture(null, { html: charts, format: 'pdf' });
    const { text } = await extractText(new Uint8Array(bytes), { mergePages: true });
    // 210 mm without two margins of 1 cm.
    expect(text).toContain('drawn 718 wide');
  });
});

describe('the record of a PDF', () => {
  it.each([
    [{}, 3],
    [{ pdf_page_ranges: '2-3' }, 2],
    [{ pdf_outline: true, pdf_tagged: true }, 3],
    [{ js: "document.title = '/Type /Pages /Count 99 /Root 1 0 R startxref 0 %%EOF'" }, 3],
  ])('holds the number of its pages: %j', async (options, count) => {
    const { pages, text } = await print(options);
    expect([pages, text.length]).toEqual([count, count]);
  });

  it('holds the number of many pages, and none for an image', async () => {
    const html = '<p style="break-after: page">page</p>'.repeat(150);
    expect((await capturing.capture(null, { html, format: 'pdf' })).facts.pages).toBe(150);
    expect((await capturing.capture(null, { html })).facts.pages).toBeNull();
  });
});

describe('pdf_paper', () => {
  it.each([
    ['a4', 595, 842],
    ['a3', 842, 1191],
    ['a6', 298, 420],
    ['letter', 612, 792],
    ['legal', 612, 1008],
    ['tabloid', 792, 1224],
    ['ledger', 1224, 792],
  ] as const)('%s has %d × %d points', async (paper, width, height) => {
    const [w = 0, h = 0] = (await print({ pdf_paper: paper })).sheet;
    expect(Math.abs(w - width)).toBeLessThanOrEqual(1);
    expect(Math.abs(h - height)).toBeLessThanOrEqual(1);
  });
});

describe('pdf_width and pdf_height', () => {
  it.each([
    ['10cm', '200mm', [284, 567]],
    ['5in', '480px', [360, 360]],
    ['7.5in', '10in', [540, 720]],
  ])('make the paper %s × %s', async (pdf_width, pdf_height, sheet) => {
    expect((await print({ pdf_width, pdf_height })).sheet).toEqual(sheet);
  });
});

describe('pdf_landscape', () => {
  it('turns the paper', async () => {
    expect((await print({ pdf_landscape: true })).sheet).toEqual(A4.toReversed());
    expect((await print({ pdf_landscape: false })).sheet).toEqual(A4);
  });
});

describe('pdf_margin_*', () => {
  it('are 1 cm by default', async () => {
    const { heading } = await print();
    const none = await print({ pdf_margin_left: '0cm', pdf_margin_top: '0cm' });
    expect((heading?.left ?? 0) - (none.heading?.left ?? 0)).toBe(28);
    expect((heading?.top ?? 0) - (none.heading?.top ?? 0)).toBe(28);
  });

  it('move the content', async () => {
    const none = await print({ pdf_margin_left: '0cm', pdf_margin_top: '0cm' });
    const wide = await print({ pdf_margin_left: '2in', pdf_margin_top: '1in' });
    expect((wide.heading?.left ?? 0) - (none.heading?.left ?? 0)).toBe(144);
    expect((wide.heading?.top ?? 0) - (none.heading?.top ?? 0)).toBe(72);
  });

  it.each([{ pdf_margin_bottom: '20cm' }, { pdf_margin_top: '20cm' }])(
    'leave less room: %j',
    async (margin) => {
      const [usual, less] = [await print({}, '/bands.html'), await print(margin, '/bands.html')];
      expect(less.text.length).toBeGreaterThan(usual.text.length);
    },
  );

  it('leave less room at the right: lines break sooner', async () => {
    const linesOf = async (pdf_margin_right: string): Promise<number> =>
      (await print({ pdf_margin_right }, '/scripts.html')).lines;
    expect(await linesOf('12cm')).toBeGreaterThan(await linesOf('1cm'));
  });
});

describe('pdf_scale', () => {
  it('scales the content', async () => {
    const [one, two] = [await print({ pdf_scale: 1 }), await print({ pdf_scale: 2 })];
    expect((two.heading?.size ?? 0) / (one.heading?.size ?? 1)).toBeCloseTo(2, 0);
    expect((await print()).heading).toEqual(one.heading);
  });
});

describe('pdf_background', () => {
  it.each([
    [{}, true],
    [{ pdf_background: true }, true],
    [{ pdf_background: false }, false],
  ])('prints backgrounds: %j', async (options, isPrinted) => {
    // A page of five flat bands is nothing but backgrounds.
    const { size } = await print(options, '/bands.html');
    expect(size > (await print({ pdf_background: false }, '/bands.html')).size).toBe(isPrinted);
  });
});

describe('pdf_page_ranges', () => {
  it.each([
    [undefined, ['one', 'two', 'three']],
    ['2', ['two']],
    ['1,3', ['one', 'three']],
    ['2-3', ['two', 'three']],
    ['2-9', ['two', 'three']],
  ])('prints %s', async (pdf_page_ranges, chapters) => {
    const { text } = await print(pdf_page_ranges === undefined ? {} : { pdf_page_ranges });
    expect(text.map((page) => /Chapter (\w+)/.exec(page)?.[1])).toEqual(chapters);
  });

  it('is refused past the last page', async () => {
    const error = await capturing.failure('/print.html', { format: 'pdf', pdf_page_ranges: '4-5' });
    expect([error.code, error.facts.phase]).toEqual(['page_range', 'render']);
  });
});

describe('pdf_header_html and pdf_footer_html', () => {
  const line = (html: string): string => `<div style="font-size: 12px; margin: 0 1cm">${html}</div>`;

  it('are on every page, with their fields filled in', async () => {
    const { text } = await print({
      pdf_margin_top: '2cm',
      pdf_margin_bottom: '2cm',
      pdf_header_html: line('Report on <span class="title"></span>'),
      pdf_footer_html: line('<span class="pageNumber"></span> of <span class="totalPages"></span>'),
    });
    expect(text).toHaveLength(3);
    for (const [i, page] of text.entries()) {
      expect(page).toContain('Report on Print');
      expect(page).toContain(`${i + 1} of 3`);
    }
  });

  it('are independent: the other one is empty', async () => {
    const { text } = await print({ pdf_margin_top: '2cm', pdf_header_html: line('only above') });
    expect(text[0]).toContain('only above');
    expect(text[0]).not.toContain('http://');
  });

  const fields = 'Page <span class="pageNumber"></span> of <b class="totalPages"></b>';

  it('are legible without a style, and as wide as the text of the page', async () => {
    const margins = { pdf_margin_left: '2cm', pdf_margin_top: '2cm', pdf_margin_bottom: '2cm' };
    const { places, text } = await print({ ...margins, pdf_header_html: fields, pdf_footer_html: fields });
    expect(places('Page 1 of')).toEqual([
      { size: 8, left: 57 },
      { size: 8, left: 57 },
    ]);
    expect(text[0]).toMatch(/Page 1 of\s*3/);
  });

  it.each([
    [`<p style="font-size: 12pt">${fields}</p>`, 12],
    [`<style>body { font-size: 12pt }</style>${fields}`, 12],
    [`<style>#footer { font-size: 12pt }</style>${fields}`, 12],
    [`<style>* { font-size: 12pt }</style><i>${fields}</i>`, 12],
    [`<p style="font-size: 1.5em">${fields}</p>`, 12],
    [`<p style="color: red">${fields}</p>`, 8],
  ])('have the size that their own style gives them: %s', async (pdf_footer_html, size) => {
    const { places } = await print({ pdf_margin_bottom: '3cm', pdf_footer_html });
    expect(places('Page')).toEqual([{ size, left: 0 }]);
  });

  it('neither run nor fetch anything, whatever passes their rule', async () => {
    const before = capturing.site.requests().length;
    const html = `<img src="${capturing.site.url}/stolen"><img src="x" onerror="document.body.innerText = 'ran'">
      <script>document.write('ran')</script>${line('above')}`;
    const { text } = await print({ pdf_margin_top: '2cm', pdf_header_html: html });
    expect(text[0]).toContain('above');
    expect(text[0]).not.toContain('ran');
    expect(
      capturing.site
        .requests()
        .slice(before)
        .map(({ path }) => path),
    ).toEqual(['/print.html']);
  });
});

describe('a header that passes its rule and that Chromium cannot print', () => {
  it.each([
    '<link rel="stylesheet" href="http://example.com/a.css">x',
    '<style>@font-face { font-family: f; src: url(http://example.com/f.woff) } b { font-family: f }</style><b>x</b>',
  ])('ends as print_failed, which is not retried: %s', async (html) => {
    const options = { format: 'pdf', pdf_header_html: html, pdf_margin_top: '2cm' } as const;
    const error = await capturing.failure('/print.html', options);
    expect([error.code, error.status, error.retryable]).toEqual(['print_failed', 422, false]);
    expect(error.message).toMatch(/^pdf_header_html or pdf_footer_html /);
  });
});

describe('pdf_prefer_css_page_size', () => {
  it.each([
    [{}, A4],
    [{ pdf_prefer_css_page_size: false }, A4],
    [{ pdf_prefer_css_page_size: true }, [283, 567]],
  ])('%j', async (options, sheet) => {
    expect((await print(options, '/print.html?size')).sheet).toEqual(sheet);
  });

  const words = `<p>Chapter ${'word '.repeat(1_000)}</p>`;

  it.each([
    '@page { size: A5 }',
    '@page { size: A5; margin: 0 }',
    '@page :first { size: A5 }',
    '@page { margin: 0 }',
  ])('is needed for %s: otherwise the options decide on the paper and the margins', async (rule) => {
    const options = { pdf_landscape: true, pdf_margin_left: '2in', pdf_margin_top: '1in' };
    const printed = ({ html }: { html: string }, more = {}) => print({ html, ...options, ...more }, null);
    const plain = await printed({ html: words });
    const styled = { html: `<style>${rule}</style>${words}` };
    const { sheet, heading, pages } = await printed(styled);
    expect({ sheet, heading, pages }).toEqual({
      sheet: plain.sheet,
      heading: plain.heading,
      pages: plain.pages,
    });
    const preferred = await printed(styled, { pdf_prefer_css_page_size: true });
    expect([preferred.sheet, preferred.heading]).not.toEqual([sheet, heading]);
  });
});

describe('a document that takes long to divide into pages', () => {
  it('is printed in part without being divided twice', async () => {
    const row = `<tr>${'<td>cell</td>'.repeat(8)}</tr>`;
    const html = `<table>${row.repeat(5_000)}</table>`;
    expect((await print({ html, pdf_page_ranges: '1-3' }, null)).pages).toBe(3);
  });
});

describe('pdf_outline', () => {
  it('lists the headings', async () => {
    const { outline } = await print({ pdf_outline: true });
    expect(JSON.stringify(outline)).toContain('Chapter two');
    expect((await print({ pdf_outline: false })).outline).toBeNull();
  });
});

describe('pdf_tagged', () => {
  it.each([
    [{}, true],
    [{ pdf_tagged: true }, true],
    [{ pdf_tagged: false }, false],
  ])('%j', async (options, isTagged) => {
    expect((await print(options)).bytes.includes('/StructTreeRoot')).toBe(isTagged);
  });
});
