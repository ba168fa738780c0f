import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

const LIBRARIES = (process.env.LIBS ?? 'chartjs,echarts,apexcharts,d3,gsap,animejs,lottie,framer-motion').split(',');

const sha = (b: Uint8Array) => createHash('sha1').update(b).digest('hex').slice(0, 8);
describe('x', () => {
  it('measures', async () => {
    const out: string[] = [];
    for (const library of LIBRARIES) {
      const page = `/animated.html?library=${library}`;
      for (const wait_until of ['auto', 'load'] as const) {
      const after = await capturing.capture(page, { animations: 'allow', delay_ms: 3000, wait_until });
      const now = await capturing.capture(page, { wait_until });
      const allow = await capturing.capture(page, { animations: 'allow', wait_until });
      const freeze = await capturing.capture(page, { animations: 'freeze', wait_until });
      const t = ({ settle_ms, render_ms }: any) => `${settle_ms}+${render_ms}`;
      out.push([library.padEnd(14), wait_until, sha(now.bytes) === sha(after.bytes) ? 'SAME' : 'DIFF', 'finish', t(now.timings), 'allow', t(allow.timings), sha(allow.bytes) === sha(after.bytes) ? 'same' : 'diff', 'freeze', t(freeze.timings), sha(freeze.bytes) === sha(after.bytes) ? 'same' : 'diff', now.facts.readiness?.by, now.facts.readiness?.waited_for].join(' '));
      }
    }
    console.log(out.join('\n'));
    expect(1).toBe(1);
  }, 300000);
});
