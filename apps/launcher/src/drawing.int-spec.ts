import { expect, it } from '@jest/globals';
import { runTask } from './tasks.mjs';

const { TEST_WITHOUT_FONTS: reason } = process.env;
const whereFetched = reason === undefined ? it : it.skip;

whereFetched(
  `the browser draws words of every writing system${reason ? ` (fonts could not be fetched: ${reason})` : ''}`,
  async () => {
    expect(JSON.parse(await runTask('draw-words', { env: process.env }))).toEqual([]);
  },
);
