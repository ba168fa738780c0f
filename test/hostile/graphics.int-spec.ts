import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, itSurvives } from '../support/arena.js';

// What a slot says of the browsers that die here is no news.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

describe('a page that hangs the process which draws all pages of its browser', () => {
  /** The capture after it is one of an ordinary page, in the same slot. */
  itSurvives(
    () => arena,
    [
      {
        title: 'before its navigation has timed out',
        page: 'shader.html',
        options: { navigation_timeout_ms: 1_000, timeout_ms: 60_000 },
        ends: ['capture_timeout'],
      },
      {
        title: 'before one of its waits has run out',
        page: 'shader.html?after=0',
        options: { wait_for_selector: '#never', timeout_ms: 3_000 },
        ends: ['capture_timeout'],
      },
      {
        title: 'before it fails for its status',
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
        title: 'before it is printed, which does without that process',
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

  it('ends that browser and is seen in the state of the pool', async () => {
    const { restarts } = arena.pool.state();
    await arena.visit('shader.html', { navigation_timeout_ms: 1_000 });
    await arena.expectClean();
    expect(arena.pool.state().restarts).toBeGreaterThan(restarts);
  });
});
