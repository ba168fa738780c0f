import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, itSurvives } from '../support/arena.js';

Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

const ATTACKS = {
  nodes: 'has a million hidden elements',
  visible: 'has 200,000 elements',
  text: 'has 10 MB of text',
  spaces: 'has 10 MB of spaces',
  title: 'has a title of 12 MB',
  scripts: 'has 100,000 scripts',
  frames: 'has 300 frames',
  shadows: 'has 300 shadow roots in each other',
  names: 'gives its elements the names of what the probe reads',
  globals: 'breaks the prototypes of its world',
};

describe('a page that attacks its verdict', () => {
  itSurvives(
    () => arena,
    Object.entries(ATTACKS).map(([by, title]) => ({
      title,
      page: `judged.html?by=${by}`,
      options: { timeout_ms: 60_000 },
      ends: ['file'] as const,
      facts: { verdict: { kind: 'page', evidence: [] } },
    })),
  );

  it('blocks its main thread: the capture ends as it would without a verdict', async () => {
    const { end } = await arena.visit('loop.html?after=300', {
      timeout_ms: 4_000,
      fail_on_verdict: ['bot_wall'],
    });
    expect(['file', 'capture_timeout']).toContain(end);
    await arena.expectClean();
  });
});
