import { expect, it } from '@jest/globals';
import { browserEnv } from '../../../../test/support/browser.js';
import { tryWords } from './try-words.js';

it('names the words with a letter that is drawn as a box', async () => {
  const words = [
    { name: 'Latin', letters: ['W', 'ä', 'l', '\u0301'] },
    // The last letter is assigned to no script.
    { name: 'unknown', letters: ['W', '\u{3fffd}'] },
    { name: 'grey', letters: ['W'], isColoured: true },
  ];
  expect(await tryWords(browserEnv(), words)).toEqual(['unknown', 'grey']);
});
