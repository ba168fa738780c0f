import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, itSurvives } from '../support/arena.js';
import { filtersOf } from '../support/filters.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

const LISTS = filtersOf({ ads: '/blocked?\n||localhost^\n##.blocked-box' });
const OPTIONS = { block_ads: true, delay_ms: 1_000, timeout_ms: 30_000 } as const;

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open({ hosts: 1 });
  arena.filters = () => LISTS;
});
afterAll(() => arena.close());

// It is slow because 5,000 requests and endless ones are each judged by the worker: half a minute of CPU time.
describe('a page whose requests are blocked', () => {
  it('gets 5,000 of them counted, and none sent', async () => {
    const outcome = await arena.visit('blocked.html?by=many', {
      ...OPTIONS,
      navigation_timeout_ms: 90_000,
      timeout_ms: 100_000,
    });
    expect(outcome).toMatchObject({ end: 'file', detail: '' });
    const { facts } = outcome;
    expect(facts).toMatchObject({
      blocked: { ads: 5_000, forbidden: 0, rules: 0 },
      failedRequests: 0,
      complete: true,
    });
    await arena.expectClean();
  }, 120_000);

  itSurvives(
    () => arena,
    ['endless', 'frames', 'filled', 'nested', 'sites', 'hidden', 'classes'].map((by) => ({
      title: by,
      page: `blocked.html?by=${by}`,
      options: OPTIONS,
      ends: ['file', 'resource_limit', 'capture_timeout'] as const,
    })),
  );
});
