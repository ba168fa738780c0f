import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { launch } from 'puppeteer';
import { FORMAT_NAMES } from '@app/capture';
import type { Captured } from '../support/capturing.js';
import { eventually } from '../support/eventually.js';
import { Canaries } from './canaries.js';
import { Captures, guardOf, OpenGuard } from './captures.js';
import { EgressSite } from './egress-site.js';
import { FlippingResolver } from './flipping-resolver.js';
import { DEPARTURES, documentOf, VECTORS, type Vector } from './vectors.js';

// Several real browsers, on busy machines.
jest.setTimeout(300_000);

/** Time for a page to try what it tries; the control shows that it is enough. */
const TRYING_MS = 500;
/** Captures that run at the same time: most of each is the time that its page is given. */
const SLOTS = 3;

/** A vector with a page and canaries of its own, so that several can run at once and each song has its vector. */
interface Trial {
  readonly name: string;
  readonly vector: Vector;
  readonly path: string;
  readonly canaries: Canaries;
}

const site = new EgressSite();
const canaries = new Canaries();
const resolver = new FlippingResolver();
const trials: readonly Trial[] = Object.entries(VECTORS).map(([name, vector], index) => ({
  name,
  vector,
  path: `/vector-${index}`,
  canaries: new Canaries(),
}));
let captures: Captures;

const portOf = (place: string): number => Number(place.slice(place.lastIndexOf(':') + 1));
const placesOf = (of: Canaries, { udp }: Vector): string[] => (udp ? [of.udpPlace] : of.places);
/** Whether the vector gets as far as the proxy. */
const isLoud = ({ vector: { mute, never } }: Trial): boolean => mute === undefined && never === undefined;
const loud = trials.filter(isLoud);

beforeAll(async () => {
  const all = [canaries, ...trials.map((trial) => trial.canaries)];
  await Promise.all([site.open(), ...all.map((each) => each.open())]);
  for (const { vector, path, canaries: own } of trials) {
    site.pages.set(path, documentOf(vector, placesOf(own, vector)));
  }
  const ports = all.flatMap((each) => [...each.places, each.udpPlace]).map(portOf);
  captures = await Captures.open(guardOf(site.port, ports), resolver, { slots: SLOTS });
});

afterEach(() => {
  site.pages.delete('/');
  resolver.names.clear();
  canaries.songs.length = 0;
});

afterAll(async () => {
  await captures.close();
  await site.close();
  for (const each of [canaries, ...trials.map((trial) => trial.canaries)]) each.close();
});

/** Runs the attempts of all trials, SLOTS at a time; returns a function for the result of one. */
function attemptAll<Result>(
  of: readonly Trial[],
  attempt: (trial: Trial) => Promise<Result>,
): (trial: Trial) => Promise<Result> {
  let before: Promise<unknown>[] = Array.from({ length: SLOTS }, () => Promise.resolve());
  const attempts = new Map(
    of.map((trial) => {
      const [free, ...others] = before;
      const result = Promise.resolve(free).then(() => attempt(trial));
      // Its own test reports a failure.
      before = [...others, result.catch(() => undefined)];
      return [trial, result];
    }),
  );
  return (trial) => attempts.get(trial) ?? Promise.reject(new Error(`${trial.name} was not attempted`));
}

describe('the canaries', () => {
  let open: Captures;
  let sung: (trial: Trial) => Promise<unknown>;

  beforeAll(async () => {
    open = await Captures.open(new OpenGuard(), resolver, { slots: SLOTS });
    sung = attemptAll(loud, ({ path }) => open.make({ url: site.url(path), delay_ms: TRYING_MS }));
  });

  afterAll(async () => {
    await open.close();
    for (const trial of trials) trial.canaries.songs.length = 0;
  });

  it.each(loud)('sing when $name may reach them', async (trial) => {
    await sung(trial);
    const roads = new Set(trial.canaries.songs.map((song) => song.split(' ')[0]));
    expect([...roads].sort()).toEqual(['127.0.0.1', '127.0.0.2', '::1']);
  });

  it.each(Object.entries(DEPARTURES))('sing when the page may go there by %s', async (_, write) => {
    for (const place of canaries.places) {
      site.pages.set('/', write(place));
      await open.make({ url: site.url('/'), delay_ms: TRYING_MS });
    }
    expect(new Set(canaries.songs.map((song) => song.split(' ')[0])).size).toBe(3);
  });
});

describe('a Chromium without our flags', () => {
  const muted = trials.filter(({ vector }) => vector.mute !== undefined);

  it.each(muted)('reaches them by $name', async ({ vector }) => {
    site.pages.set('/', documentOf(vector, placesOf(canaries, vector)));
    const browser = await launch({
      headless: 'shell',
      executablePath: process.env.PUPPETEER_EXECUTABLE_PATH,
      env: { ...process.env, LD_LIBRARY_PATH: process.env.BROWSER_LIBRARY_PATH },
      // It opens only our own page, and root cannot have a sandbox.
      args: ['--no-sandbox'],
    });
    try {
      const page = await browser.newPage();
      await page.goto(site.url('/'));
      await eventually('a canary sings', () => canaries.songs.length > 0, 5_000);
    } finally {
      await browser.close();
    }
  });
});

describe('a page', () => {
  let attempted: (trial: Trial) => Promise<Captured[]>;

  beforeAll(() => {
    attempted = attemptAll(trials, async ({ vector, path }) => {
      const url = site.url(path);
      const targets = [{ url }, ...(vector.urlOnly ? [] : [{ html: site.pages.get(path) ?? '' }])];
      const captured: Captured[] = [];
      for (const target of targets) {
        captured.push(await captures.make({ ...target, delay_ms: TRYING_MS }));
      }
      return captured;
    });
  });

  it.each(trials)('reaches nothing by $name, captured from a url and from html', async (trial) => {
    const captured = await attempted(trial);
    expect(trial.canaries.songs).toEqual([]);
    for (const { bytes, facts } of captured) {
      expect(facts.title).toBe('captured');
      expect(bytes.length).toBeGreaterThan(0);
    }
    // It has tried all three places, and the proxy has stopped it. On a busy machine a capture may end before.
    const tried = captured.map(({ facts }) => facts.blocked.forbidden);
    if (isLoud(trial)) expect(Math.max(...tried)).toBeGreaterThanOrEqual(3);
    expect(captured[0]?.facts.httpStatus).toBe(200);
  });

  it.each(FORMAT_NAMES)('reaches nothing by all of them at once, captured as %s', async (format) => {
    const all = trials.map(({ vector }) => documentOf(vector, placesOf(canaries, vector))).join('\n');
    site.pages.set('/', all);
    const targets = [{ url: site.url('/') }, { html: all }];
    const captured = await Promise.all(
      targets.map((target) => captures.make({ ...target, format, delay_ms: TRYING_MS })),
    );
    for (const { bytes } of captured) expect(bytes.length).toBeGreaterThan(0);
    expect(canaries.songs).toEqual([]);
  });
});
