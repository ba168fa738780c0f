import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';
import type { CaptureOptions } from '../options/index.js';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

async function markdownOf(page: string, options: Partial<CaptureOptions> = {}): Promise<string> {
  const { bytes } = await capturing.capture(page, { format: 'markdown', ...options });
  return Buffer.from(bytes).toString();
}

describe('the Markdown of a page', () => {
  it('says what it can of HTML', async () => {
    const markdown = await markdownOf('/contents/constructs.html', { content: 'full' });
    expect(markdown).toBe(await readFile('test/site/contents/constructs.md', 'utf8'));
  });
});
