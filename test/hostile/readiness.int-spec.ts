import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, type HostileRow, itSurvives } from '../support/arena.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

const READY_MS = 1_000;
const OPTIONS = { wait_until: 'auto', ready_timeout_ms: READY_MS, timeout_ms: 20_000 } as const;
const FILE = ['file'] as const;

const page = (by: string, row: Partial<HostileRow> = {}): HostileRow => ({
  title: by,
  page: `unready.html?by=${by}`,
  options: OPTIONS,
  ends: FILE,
  facts: {
    title: 'Unready',
    readiness: expect.objectContaining({ by: expect.stringMatching(/^(quiet|timeout)$/) }),
  },
  ...row,
});
const TIMEOUT = { facts: { complete: true, readiness: expect.objectContaining({ by: 'timeout' }) } };
/** The same pages take as long with `load`, or fail with it: they are heavy to draw, and not only to wait for. */
const HEAVY = { ends: ['file', 'resource_limit', 'browser_crashed', 'capture_timeout'] } as const;

describe('a page that fights the wait until it is ready', () => {
  itSurvives(
    () => arena,
    [
      page('redefine'),
      page('mutate', TIMEOUT),
      page('move'),
      page('busy', HEAVY),
      page('requests', HEAVY),
      page('images', HEAVY),
      page('loading', HEAVY),
      page('animations', HEAVY),
    ],
  );

  it('gets a report of at most 20 requests', async () => {
    const { end, facts } = await arena.visit('unready.html?by=requests', OPTIONS);
    if (end === 'file') expect(facts?.readiness?.pending.length).toBeLessThanOrEqual(20);
    else expect(['resource_limit', 'browser_crashed', 'capture_timeout']).toContain(end);
    await arena.expectClean();
  });

  it('cannot see who looks at it', async () => {
    const html = `<title>none</title><p>Text</p><script>
      const before = new Set(Reflect.ownKeys(window));
      const look = () => {
        const added = Reflect.ownKeys(window).filter((key) => !before.has(key) && key !== 'before' && key !== 'look');
        const marks = [...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames());
        if (added.length + marks.length > 0) document.title = String([...added, ...marks].map(String));
        setTimeout(look, 20);
      };
      look();
    </script>`;
    const { facts } = await arena.visit('/leaf', { ...OPTIONS, url: undefined, html, delay_ms: 300 });
    expect(facts?.title).toBe('none');
  });
});
