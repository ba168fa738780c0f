import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, type HostileRow, itSurvives } from '../support/arena.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

const page = (by: string, row: Partial<HostileRow> = {}): HostileRow => ({
  title: by,
  page: `unstable.html?by=${by}`,
  options: { stable: true, timeout_ms: 30_000 },
  ends: ['file'],
  facts: { title: 'Unstable', stable: expect.objectContaining({ frames: expect.any(Number) }) },
  ...row,
});
/** The same pages are heavy without `stable`, too. */
const HEAVY = { ends: ['file', 'resource_limit', 'browser_crashed', 'capture_timeout'] } as const;

describe('a page that fights a stable capture', () => {
  itSurvives(
    () => arena,
    [page('timers', HEAVY), page('frames'), page('animations', HEAVY), page('restore'), page('wait', HEAVY)],
  );
});
