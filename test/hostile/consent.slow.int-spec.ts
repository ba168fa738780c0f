import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, itSurvives } from '../support/arena.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open({ hosts: 4 });
});
afterAll(() => arena.close());

const CLEAN = { block_cookie_banners: true } as const;
const FILE = ['file'] as const;
/** Shows what the spy has seen. */
const SHOW_SEEN = `look();
  const few = (list) => (Array.isArray(list) ? [...new Set(list)].slice(0, 8).map((each) => each.slice(0, 60)) : list);
  document.title = JSON.stringify(Object.fromEntries(Object.entries(seen).map(([name, list]) => [name, few(list)])))`;

// It is slow because each page is waited for: most of a minute of CPU time.
describe('a page that pretends to be a consent manager', () => {
  it('sees nobody who answers its dialog', async () => {
    const { facts } = await arena.visit('consent-spy.html', { ...CLEAN, js: SHOW_SEEN });
    expect(JSON.parse(String(facts?.title))).toEqual({
      globals: [],
      changed: [],
      stacks: [],
      callers: [],
      messages: [],
      trusted: 0,
      clicks: 1,
    });
    expect(facts?.consent).toEqual({ manager: 'vanilla-cookieconsent', action: 'rejected', gone: true });
    await arena.expectClean();
  });

  it('would see a script of its own world that does', async () => {
    const js = `window.extra = 1; JSON.parse = () => 0; postMessage('hello', '*');
      (function outsider() { document.querySelector('button').click() })();
      await new Promise((resolve) => setTimeout(resolve)); ${SHOW_SEEN}`;
    const { facts } = await arena.visit('consent-spy.html', { js });
    expect(JSON.parse(String(facts?.title))).toMatchObject({
      globals: expect.arrayContaining(['extra']),
      changed: expect.arrayContaining(['parse']),
      stacks: expect.arrayContaining(['querySelector', 'click']),
      callers: expect.arrayContaining([expect.stringContaining('outsider')]),
      messages: ['hello'],
      clicks: 1,
    });
  });

  itSurvives(
    () => arena,
    [
      {
        title: 'does not get a button clicked that says that it accepts',
        page: 'consent-fake.html?by=accept',
        options: CLEAN,
        ends: FILE,
        facts: { title: 'Fake', consent: { action: 'hidden', gone: true } },
      },
      ...['link', 'download', 'form', 'top'].map((by) => ({
        title: `leads nowhere by its way out: ${by}`,
        page: `consent-fake.html?by=${by}`,
        options: CLEAN,
        ends: FILE,
        facts: { title: 'Clicked', consent: { action: 'hidden', gone: true } },
      })),
    ],
  );

  it('causes no request by its way out', () => {
    const led = arena.site.requests.filter(({ url }) => url === '/elsewhere' || url === '/attachment');
    expect(led).toEqual([]);
  });
});

describe('a page that keeps its banner', () => {
  itSurvives(
    () => arena,
    [
      ...['style', 'sheets', 'again', 'reload'].map((by) => ({
        title: `fights its removal: ${by}`,
        page: `consent-fights.html?by=${by}`,
        options: CLEAN,
        ends: FILE,
        facts: { title: 'Fights', consent: { manager: 'vanilla-cookieconsent', action: 'hidden' } },
      })),
      {
        title: 'has one in each of 300 frames of 4 other sites',
        page: 'consent-frames.html?hosts=4',
        options: { ...CLEAN, timeout_ms: 30_000 },
        ends: FILE,
        // How many frames are answered in time depends on the machine.
        facts: { title: 'Banners', consent: { gone: false } },
      },
    ],
  );
});
