import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ALL_MARKS, findMarks, leaveMarks, MARKING_PAGES } from '../../../../test/support/page-state.js';
import { onePagePool, withNetwork } from '../../../../test/support/browser.js';
import { Site } from '../../../../test/support/site.js';

// A browser is started, possibly on a busy machine.
jest.setTimeout(60_000);

const never = new AbortController().signal;
const pool = withNetwork(onePagePool());
const site = new Site(MARKING_PAGES);

beforeAll(async () => {
  await site.open();
  await pool.start();
});

afterAll(async () => {
  await pool.close();
  await site.close();
});

describe('the context of a capture', () => {
  it('leaves no state of a page to the next capture of the same browser', async () => {
    const origin = site.url('');
    const first = await pool.withPage(never, async ({ page, context }) => {
      await leaveMarks(page, origin);
      return { found: await findMarks(page, origin), browser: context.browser() };
    });
    const next = await pool.withPage(never, async ({ page, context }) => {
      return { found: await findMarks(page, origin), browser: context.browser() };
    });
    // Within a capture all of it is visible, so the checks can find it.
    expect(first.found).toEqual(ALL_MARKS);
    expect(next.found).toEqual([]);
    expect(next.browser).toBe(first.browser);
  });
});
