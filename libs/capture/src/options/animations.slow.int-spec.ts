// Slow: each library animates for seconds of real time as well, to which the finished picture is compared.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';
import { IsolatingBrowser } from '../../../../test/support/isolating-browser.js';

/** What animates has ended for long by then. */
const LATER = { animations: 'allow', delay_ms: 3_000 } as const;

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

describe('what a library animates', () => {
  it.each([
    'chartjs',
    'echarts',
    'apexcharts',
    'd3',
    'gsap',
    'animejs',
    'lottie',
    'lottie&renderer=canvas',
    'framer-motion',
  ])('is captured as it is after seconds: %s', async (library) => {
    const page = `/animated.html?library=${library}`;
    const later = await capturing.capture(page, LATER);
    for (const wait_until of ['auto', 'load'] as const) {
      const finished = await capturing.capture(page, { wait_until });
      expect([wait_until, Buffer.compare(finished.bytes, later.bytes)]).toEqual([wait_until, 0]);
    }
  });
});

describe('a chart in a frame', () => {
  const around = ({ site }: Capturing) => {
    const to = `${site.url.replace('127.0.0.1', 'localhost')}/animated.html?library=chartjs`;
    return `/around?to=${encodeURIComponent(to)}`;
  };

  it('is finished in a process of its own', async () => {
    const browser = new IsolatingBrowser();
    const isolating = await Capturing.open(1, { settings: await browser.open() });
    try {
      const later = await isolating.capture(around(isolating), LATER);
      const finished = await isolating.capture(around(isolating));
      expect(Buffer.compare(finished.bytes, later.bytes)).toBe(0);
    } finally {
      await isolating.close();
      await browser.close();
    }
  });
});
