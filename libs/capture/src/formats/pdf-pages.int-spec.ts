import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { CDPSession } from 'puppeteer';
import { Capturing } from '../../../../test/support/capturing.js';
import type { CaptureOptions } from '../request/capture-options.js';

/** Of more than the limit looks at, and not many pages. */
const LONG = '<p>one</p>'.repeat(2_500);

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

/** The commands by which Chromium prints in a capture. */
async function printsOf(options: Partial<CaptureOptions>): Promise<unknown[]> {
  const prints: unknown[] = [];
  const { pool } = capturing;
  const lend = pool.withPage.bind(pool);
  pool.withPage = (signal, use) =>
    lend(signal, (lease) => {
      const send = lease.cdp.send.bind(lease.cdp);
      const listening: CDPSession['send'] = (method, ...args) => {
        if (method === 'Page.printToPDF') prints.push(args[0]);
        return send(method, ...args);
      };
      lease.cdp.send = listening;
      return use(lease);
    });
  try {
    await capturing.capture(null, { html: LONG, format: 'pdf', ...options });
    return prints;
  } finally {
    pool.withPage = lend;
  }
}

it('a long document of which a few pages are printed is not looked at before', async () => {
  expect(await printsOf({ pdf_page_ranges: '1-2' })).toHaveLength(1);
});

it.each([{}, { pdf_page_ranges: '1-3000' }, { pdf_outline: true, pdf_footer_html: '<b>foot</b>' }])(
  'a long document is tagged, outlined and given its headers once, with %j',
  async (options) => {
    const costly = { generateTaggedPDF: true };
    const plain = { generateTaggedPDF: false, generateDocumentOutline: false, displayHeaderFooter: false };
    const [looked, printed, ...others] = await printsOf(options);
    expect(looked).toMatchObject(plain);
    expect(printed).toMatchObject(costly);
    expect(others).toEqual([]);
  },
);
