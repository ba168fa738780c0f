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

const READY_MS = 2_000;
const OPTIONS = { wait_until: 'auto', ready_timeout_ms: READY_MS, timeout_ms: 20_000 } as const;
const FILE = ['file'] as const;

const page = (by: string, row: Partial<HostileRow> = {}): HostileRow => ({
  title: by,
  page: `unready.html?by=${by}`,
  options: OPTIONS,
  ends: FILE,
  facts: { title: 'Unready', readiness: { by: expect.stringMatching(/^(quiet|timeout)$/) } },
  ...row,
});
const never = { facts: { complete: true, readiness: { by: 'timeout' } } };

describe('a page that fights the wait until it is ready', () => {
  itSurvives(
    () => arena,
    [
      page('redefine', { facts: { readiness: { by: 'quiet' } } }),
      page('mutate', never),
      page('move'),
      page('busy', { ends: ['file', 'capture_timeout'] }),
      page('requests', { ends: ['file', 'resource_limit', 'browser_crashed'] }),
      page('images', { ends: ['file', 'resource_limit', 'capture_timeout'] }),
      page('loading', { ends: ['file', 'capture_timeout'] }),
      page('animations', { ends: ['file', 'capture_timeout'] }),
    ],
  );

  it('gets a report of at most 20 requests', async () => {
    const { end, facts } = await arena.visit('unready.html?by=requests', OPTIONS);
    if (end === 'file') expect(facts?.readiness?.pending.length).toBeLessThanOrEqual(20);
    else expect(['resource_limit', 'browser_crashed']).toContain(end);
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
