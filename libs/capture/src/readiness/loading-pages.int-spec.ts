import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing, Picture } from '../../../../test/support/capturing.js';
import { COMPLETE, drawPage, LATE } from '../../../../test/support/loading-pages/kinds.js';
import { LoadingSite } from '../../../../test/support/loading-pages/loading-site.js';
import type { AwaitedKind, ReadinessReport } from '../record/readiness.js';

const SLOTS = 6;
/** Any other seed gives other pages. */
const SEED = 3;
const SWATCH_PX = 20 * 20;
/** A swatch between two px has paler edges. */
const WHOLE = 0.9;
/** What only pages that are not complete may be waited for by. */
const OF_UNFINISHED: readonly AwaitedKind[] = ['content', 'placeholders', 'socket', 'gap', 'arrivals'];

/** Pages that wait for what never comes, by what they wait for. */
const NEVER = {
  placeholders: `<style>i { display: block; height: 60px; margin: 9px; background: #ddd; animation: x 1s infinite } @keyframes x { 50% { opacity: 0.5 } }</style>
    <h1>News</h1><p>${'A sentence. '.repeat(60)}</p><i></i><i></i><script>document.title = 'News'</script>`,
  socket: `<h1>Prices</h1><table><tr><td>—</td><td>—</td></tr></table><script>kept = new WebSocket('ws://HOST/socket?plan=[]')</script>`,
  gap: `<h1>News</h1><main style="min-height: 300px"></main><script>setInterval(() => undefined, 9)</script>`,
  arrivals: `<h1>News</h1><main></main><script>
    const add = () => document.querySelector('main').append(Object.assign(document.createElement('p'), { textContent: 'Part' }));
    setInterval(add, 500)</script>`,
} as const;

interface Seen {
  /** Number of pieces of the content in the picture. */
  readonly pieces: number;
  readonly waitedFor: readonly AwaitedKind[];
}

let capturing: Capturing;
let site: LoadingSite;
const seen = new Map<string, Seen>();
const reports = new Map<string, ReadinessReport | null>();

beforeAll(async () => {
  [capturing, site] = await Promise.all([Capturing.open(SLOTS), LoadingSite.open()]);
  // They wait most of their time, so that all slots work on all of them.
  const kinds = [...Object.keys(NEVER), ...Object.keys(LATE), ...Object.keys(COMPLETE)];
  const captureSome = async (): Promise<void> => {
    for (let kind = kinds.shift(); kind !== undefined; kind = kinds.shift())
      if (kind in NEVER) await wait(kind as keyof typeof NEVER);
      else seen.set(kind, await see(kind));
  };
  await Promise.all(Array.from({ length: SLOTS }, captureSome));
}, 180_000);

afterAll(async () => {
  await capturing.close();
  await site.close();
});

async function see(kind: string): Promise<Seen> {
  const captured = await capturing.capture(site.url(kind, SEED));
  const picture = await Picture.fromCapture(captured);
  return {
    pieces: picture.count(drawPage(kind, SEED).colour) / SWATCH_PX,
    waitedFor: captured.facts.readiness?.waited_for ?? [],
  };
}

async function wait(kind: keyof typeof NEVER): Promise<void> {
  const html = NEVER[kind].replace('HOST', new URL(site.url(kind, SEED)).host);
  const { facts } = await capturing.capture(null, { html, ready_timeout_ms: 30_000 });
  reports.set(kind, facts.readiness);
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

describe('what never comes', () => {
  it.each(Object.keys(NEVER))('is not awaited until the time is over: %s', (kind) => {
    expect(reports.get(kind)).toMatchObject({ by: 'quiet', waited_for: expect.arrayContaining([kind]) });
  });
});
