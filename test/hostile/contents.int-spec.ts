import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, itSurvives, type HostileRow } from '../support/arena.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

const SAID = 'What this page says is said in a few words';

/** A page whose content is read as Markdown, its main content where nothing else is said. */
const attack = (how: string, row: Partial<HostileRow> = {}): HostileRow => ({
  title: how,
  page: `contents.html?how=${how}`,
  ends: ['file'],
  ...row,
  options: { format: 'markdown', timeout_ms: 30_000, ...row.options },
});
const TOO_MUCH = ['file', 'resource_limit', 'capture_timeout'] as const;

describe('a page that attacks what reads its content', () => {
  itSurvives(
    () => arena,
    [
      attack('spans'),
      attack('marks'),
      attack('spaces'),
      attack('addresses'),
      attack('notes'),
      attack('restless'),
      attack('elements', { ends: TOO_MUCH, options: { timeout_ms: 3_000 } }),
      attack('endless', { ends: TOO_MUCH, options: { timeout_ms: 3_000 } }),
    ],
  );

  it.each(['prototypes', 'names', 'deep'])('does not change what it says: %s', async (how) => {
    for (const format of ['markdown', 'text'] as const) {
      const { end, bytes } = await arena.visit(`contents.html?how=${how}`, { format, timeout_ms: 30_000 });
      const text = Buffer.from(bytes ?? []).toString();
      expect(end).toBe('file');
      expect(text).toContain(SAID);
      if (how === 'names') expect(text).toMatch(/Said in a form\s+and more of it/);
      if (how === 'deep') expect(text).toContain('deep 399');
    }
    await arena.expectClean();
  });
});
