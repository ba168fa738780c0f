import { describe, expect, it } from '@jest/globals';
import { readRecording, summaryOf } from './recording-text.js';

const file = (text: string, size = text.length) => ({
  name: 'flow.json',
  size,
  text: () => Promise.resolve(text),
});

describe('a recording', () => {
  it('is read from a file', async () => {
    const recording = { title: 'A', steps: [{ type: 'navigate', url: 'https://example.com/' }] };
    expect(await readRecording(file(JSON.stringify(recording)))).toEqual({ recording });
  });

  it.each([
    ['import puppeteer', 'not JSON'],
    ['[]', 'no list of steps'],
    ['{"steps": 3}', 'no list of steps'],
    ['null', 'no list of steps'],
  ])('is not %s', async (text, fault) => {
    expect((await readRecording(file(text))).fault).toContain(fault);
  });

  it('is refused unread when it is too large', async () => {
    expect((await readRecording(file('{}', 1_000_001))).fault).toContain('larger');
  });

  it.each([
    [{ type: 'click', selectors: [['aria/Menu'], ['#menu']] }, 'click aria/Menu'],
    [{ type: 'click', selectors: [['my-element', '#menu']] }, 'click my-element >>> #menu'],
    [{ type: 'change', selectors: ['#q'], value: 'shoes' }, 'change #q = shoes'],
    [{ type: 'keyDown', key: 'Enter' }, 'keyDown Enter'],
    [{ type: 'navigate', url: 'https://example.com/' }, 'navigate https://example.com/'],
    [{ type: 'setViewport', width: 800 }, 'setViewport'],
  ])('says what a step does: %j', (step, summary) => {
    expect(summaryOf(step)).toBe(summary);
  });
});
