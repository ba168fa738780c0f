import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { Capturing } from '../../../../test/support/capturing.js';

let capturing: Capturing;
beforeAll(async () => { capturing = await Capturing.open(); });
afterAll(() => capturing.close());

describe('stable', () => {
  it.each(['clock', 'random', 'styles', 'scripts', 'media', 'gif'])('x %s', async (name) => {
    const path = `/moving/${name}.html`;
    const out: { bytes: Uint8Array }[] = [];
    for (let i = 0; i < 3; i += 1) {
      const a = await capturing.capture(path, { stable: true });
      await writeFile(`/tmp/stab/${name}${i}.png`, a.bytes);
      out.push(a);
      console.log(name, JSON.stringify(a.facts.stable), JSON.stringify(a.timings));
    }
    const plain = await capturing.capture(path, {});
    await writeFile(`/tmp/stab/${name}-plain.png`, plain.bytes);
    console.log(name, 'plain', JSON.stringify(plain.timings));
    expect(out.map(({ bytes }) => Buffer.compare(bytes, out[0]?.bytes ?? bytes))).toEqual([0, 0, 0]);
  });
});
