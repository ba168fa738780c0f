import { describe, expect, it } from '@jest/globals';
import type { Frame, HTTPRequest, HTTPResponse } from 'puppeteer';
import { FrameLoads } from './frame-loads.js';

const ADDRESS = 'https://example.com/framed';

/** A frame that asks for the address, and shows this document by now. */
function load(shown: string): { loads: FrameLoads; frame: Frame; response: HTTPResponse } {
  const frame = { url: () => shown } as Frame;
  const request = {
    frame: () => frame,
    url: () => ADDRESS,
    redirectChain: () => [] as HTTPRequest[],
  } as HTTPRequest;
  const response = { request: () => request, status: () => 200 } as HTTPResponse;
  const loads = new FrameLoads();
  loads.begin(request);
  return { loads, frame, response };
}

describe(FrameLoads.name, () => {
  it.each([
    ['loaded', ADDRESS],
    ['failed', 'chrome-error://chromewebdata/'],
  ])('says %s of a frame that shows %s, in whichever order the events come', (state, shown) => {
    for (const isAnswerLate of [false, true]) {
      const { loads, frame, response } = load(shown);
      if (!isAnswerLate) loads.answer(response);
      loads.navigate(frame);
      if (isAnswerLate) loads.answer(response);
      expect(loads.stateOf(ADDRESS)).toBe(state);
    }
  });
});
