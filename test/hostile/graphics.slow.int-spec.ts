import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, itSurvives } from '../support/arena.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

// It is slow because it waits for browsers that hang.
describe('a page that hangs the GPU process of its browser', () => {
  /** The next capture in the slot is that of an ordinary page. */
  itSurvives(
    () => arena,
    [
      {
        title: 'before its navigation times out',
        page: 'shader.html',
        options: { navigation_timeout_ms: 1_000, timeout_ms: 60_000 },
        ends: ['capture_timeout'],
      },
      {
        title: 'before one of its waits times out',
        page: 'shader.html?after=0',
        options: { wait_for_selector: '#never', timeout_ms: 3_000 },
        ends: ['capture_timeout'],
      },
      {
        title: 'before it fails because of its status',
        page: 'shader.html?after=0',
        options: { fail_on_status: ['200'], navigation_timeout_ms: 2_000, timeout_ms: 60_000 },
        ends: ['target_http_error'],
      },
      {
        title: 'before a condition fails',
        page: 'shader.html?after=0',
        options: { fail_if_text_missing: 'never', delay_ms: 300, timeout_ms: 3_000 },
        ends: ['condition_failed', 'capture_timeout'],
      },
      {
        title: 'before it is drawn',
        page: 'shader.html?after=0',
        options: { delay_ms: 500, timeout_ms: 3_000 },
        ends: ['capture_timeout'],
      },
      {
        title: 'before it is printed, which does not use that process',
        page: 'shader.html?after=0',
        options: { format: 'pdf', delay_ms: 300, timeout_ms: 4_000 },
        ends: ['file', 'capture_timeout'],
      },
      ...[10, 30, 60].map((after) => ({
        title: `${after} ms after its load, about when it is drawn`,
        page: `shader.html?after=${after}`,
        options: { timeout_ms: 2_000 },
        ends: ['file', 'capture_timeout'] as const,
      })),
    ],
  );

  it('has its browser replaced, which the state of the pool shows', async () => {
    const { restarts } = arena.pool.state();
    await arena.visit('shader.html', { navigation_timeout_ms: 1_000 });
    await arena.expectClean();
    expect(arena.pool.state().restarts).toBeGreaterThan(restarts);
  });
});
