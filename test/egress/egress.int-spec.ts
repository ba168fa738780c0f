import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { launch } from 'puppeteer';
import { FORMAT_NAMES } from '@app/capture';
import { eventually } from '../support/eventually.js';
import { Canaries } from './canaries.js';
import { Captures, FlippingResolver, guardOf, HostileSite, OpenGuard } from './surroundings.js';
import { DEPARTURES, documentOf, VECTORS, type Vector } from './vectors.js';

// Two real browsers, on machines that do other things too.
jest.setTimeout(120_000);

/** Time in ms for a page to try what it tries; the control shows that it is enough. */
const TRYING_MS = 500;

const site = new HostileSite();
const canaries = new Canaries();
const resolver = new FlippingResolver();
let captures: Captures;

const portOf = (place: string): number => Number(place.slice(place.lastIndexOf(':') + 1));
const placesOf = (udp = false): string[] => (udp ? [canaries.udpPlace] : canaries.places);
const named = Object.entries(VECTORS);
/** Whether it gets as far as the proxy. */
const isLoud = ({ mute, never }: Vector): boolean => mute === undefined && never === undefined;

beforeAll(async () => {
  await Promise.all([site.open(), canaries.open()]);
  const ports = [...canaries.places, canaries.udpPlace].map(portOf);
  // Two at once: most of a capture here is the time that its page is given.
  captures = await Captures.open(guardOf(site.port, ports), resolver, { slots: 2 });
});

afterEach(() => {
  site.pages.clear();
  resolver.names.clear();
  canaries.songs.length = 0;
});

afterAll(async () => {
  await captures.close();
  await site.close();
  canaries.close();
});

describe('the canaries', () => {
  let open: Captures;

  beforeAll(async () => {
    open = await Captures.open(new OpenGuard(), resolver);
  });

  afterAll(() => open.close());

  it.each(named.filter(([, vector]) => isLoud(vector)))('sing when %s may reach them', async (_, vector) => {
    site.pages.set('/', documentOf(vector, placesOf(vector.udp)));
    await open.make({ url: site.url('/'), delay_ms: TRYING_MS });
    const roads = new Set(canaries.songs.map((song) => song.split(' ')[0]));
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
  it.each(named.filter(([, { mute }]) => mute !== undefined))('reaches them by %s', async (_, vector) => {
    site.pages.set('/', documentOf(vector, placesOf(vector.udp)));
    const browser = await launch({
      headless: 'shell',
      executablePath: process.env.PUPPETEER_EXECUTABLE_PATH,
      env: { ...process.env, LD_LIBRARY_PATH: process.env.BROWSER_LIBRARY_PATH },
      // It opens nothing but our own page, and root may have no other.
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
  it.each(named)('reaches nothing by %s, captured from a url and from html', async (_, vector) => {
    const html = documentOf(vector, placesOf(vector.udp));
    site.pages.set('/', html);
    const targets = [{ url: site.url('/') }, ...(vector.urlOnly ? [] : [{ html }])];
    const captured = await Promise.all(
      targets.map((target) => captures.make({ ...target, delay_ms: TRYING_MS })),
    );
    expect(canaries.songs).toEqual([]);
    for (const { bytes, facts } of captured) {
      expect(facts.title).toBe('captured');
      expect(bytes.length).toBeGreaterThan(0);
      // It did try, all three places, and was stopped where we think it is stopped.
      if (isLoud(vector)) expect(facts.blockedRequests).toBeGreaterThanOrEqual(3);
    }
    expect(captured[0]?.facts.httpStatus).toBe(200);
  });

  it.each(FORMAT_NAMES)('reaches nothing by all of them at once, captured as %s', async (format) => {
    const all = named.map(([, vector]) => documentOf(vector, placesOf(vector.udp))).join('\n');
    site.pages.set('/', all);
    const targets = [{ url: site.url('/') }, { html: all }];
    const captured = await Promise.all(
      targets.map((target) => captures.make({ ...target, format, delay_ms: TRYING_MS })),
    );
    for (const { bytes } of captured) expect(bytes.length).toBeGreaterThan(0);
    expect(canaries.songs).toEqual([]);
  });
});
