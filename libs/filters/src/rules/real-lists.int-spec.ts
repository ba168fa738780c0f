import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { evaluate, onePagePool } from '../../../../test/support/browser.js';
import { textOfRuleSet } from '../../../../test/support/rule-sets.js';
import { acceptRules } from './accepted-rules.js';

/** Base, cookie notices, popups, other annoyances, widgets. */
const RULE_SETS = [2, 18, 19, 21, 22];

describe('the lists that come with the service', () => {
  let pool: ReturnType<typeof onePagePool>;

  beforeAll(async () => {
    pool = onePagePool();
    await pool.start();
  });

  afterAll(() => pool.close());

  it.each(RULE_SETS)('have no selector that the browser does not know: rule set %i', async (set) => {
    const { network, cosmetic, skipped } = acceptRules(textOfRuleSet(set));
    expect(network.length + cosmetic.length).toBeGreaterThan(2 * skipped);
    const selectors = [...new Set(cosmetic.map((filter) => filter.getSelector()))];
    const unknown = await pool.withPage(new AbortController().signal, async ({ page }) => {
      const found: string[] = [];
      for (let from = 0; from < selectors.length; from += 2_000) {
        const part = selectors.slice(from, from + 2_000);
        const ask = (texts: string[]) => texts.filter((text) => !CSS.supports(`selector(${text})`));
        found.push(...(await evaluate(page, ask, part)));
      }
      return found;
    });
    // CSS.supports knows one selector, not a list of them.
    expect(unknown.filter((text) => !text.includes(','))).toEqual([]);
  });
});
