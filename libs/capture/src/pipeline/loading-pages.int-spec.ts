import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing, Picture } from '../../../../test/support/capturing.js';
import { COMPLETE, drawPage, LATE } from '../../../../test/support/loading-pages/kinds.js';
import { LoadingSite } from '../../../../test/support/loading-pages/loading-site.js';
import type { AwaitedKind } from '../page-reports.js';

const SLOTS = 4;
/** Any other seed gives other pages. */
const SEED = 3;
const SWATCH_PX = 20 * 20;
/** A swatch between two px has paler edges. */
const WHOLE = 0.9;
/** What only pages that are not complete may be waited for by. */
const OF_UNFINISHED: readonly AwaitedKind[] = ['content', 'placeholders', 'socket', 'gap', 'arrivals'];

interface Seen {
  /** Number of pieces of the content in the picture. */
  readonly pieces: number;
  readonly waitedFor: readonly AwaitedKind[];
}

let capturing: Capturing;
let site: LoadingSite;
const seen = new Map<string, Seen>();

beforeAll(async () => {
  [capturing, site] = await Promise.all([Capturing.open(SLOTS), LoadingSite.open()]);
  // They wait most of their time, so that all slots work on all of them.
  const kinds = [...Object.keys(LATE), ...Object.keys(COMPLETE)];
  const captureSome = async (): Promise<void> => {
    for (let kind = kinds.shift(); kind !== undefined; kind = kinds.shift()) seen.set(kind, await see(kind));
  };
  await Promise.all(Array.from({ length: SLOTS }, captureSome));
}, 180_000);

afterAll(async () => {
  await capturing.close();
  await site.close();
});

async function see(kind: string): Promise<Seen> {
  const captured = await capturing.capture(site.url(kind, SEED));
  const picture = await Picture.of(captured);
  return {
    pieces: picture.count(drawPage(kind, SEED).colour) / SWATCH_PX,
    waitedFor: captured.facts.readiness?.waited_for ?? [],
  };
}

describe('a page whose content comes after its load', () => {
  it.each(Object.keys(LATE))('is captured with its content: %s', (kind) => {
    expect(seen.get(kind)?.pieces).toBeGreaterThanOrEqual(drawPage(kind, SEED).pieces * WHOLE);
  });
});

describe('a page that is complete at its load', () => {
  it.each(Object.keys(COMPLETE))('is not waited for as if it were not: %s', (kind) => {
    const { pieces = 0, waitedFor = [] } = seen.get(kind) ?? {};
    expect(pieces).toBeGreaterThanOrEqual(WHOLE);
    expect(waitedFor.filter((each) => OF_UNFINISHED.includes(each))).toEqual([]);
  });
});
