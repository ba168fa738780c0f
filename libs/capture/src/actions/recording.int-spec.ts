import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from '@app/capture';
import { Capturing } from '../../../../test/support/capturing.js';

let capturing: Capturing;

beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

/** A recording that Chrome exported, for the address of this site. */
async function recordingOf(name: string): Promise<NonNullable<CaptureOptions['recording']>> {
  const text = await readFile(`test/support/recordings/${name}.json`, 'utf8');
  return JSON.parse(text.replaceAll('http://recorded.test', capturing.site.url)) as object;
}

describe('a recording', () => {
  it('is done step by step, each by the first selector that finds its element', async () => {
    const recording = await recordingOf('form');
    const { facts } = await capturing.capture('/actions/form.html', { recording, wait_until: 'load' });
    expect(facts.actions?.map(({ type }) => type)).toEqual([
      ...['click', 'change', 'press', 'press', 'change', 'click', 'click', 'hover', 'scroll', 'wait', 'wait'],
    ]);
    expect(facts.title).toBe(
      'click:name key:Tab change:name change:country click:plain click:plain dblclick:plain shadow',
    );
    expect(capturing.site.requests('/actions/form.html')).toHaveLength(1);
  });

  it('acts in frames, at any depth', async () => {
    const recording = await recordingOf('frames');
    const { facts } = await capturing.capture('/actions/frames.html', { recording, wait_until: 'load' });
    expect(facts.actions?.every(({ done }) => done)).toBe(true);
  });

  it('fails with the pointer of its step', async () => {
    const recording = { timeout: 300, steps: [{ type: 'click', selectors: [['#nowhere']] }] };
    const error = await capturing.failure('/actions/form.html', { recording, wait_until: 'load' });
    expect(error.facts.errors).toMatchObject([{ pointer: '/recording/steps/0', code: 'no_element' }]);
  });
});
