import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { AppError } from '@app/kernel';
import type { Visit } from '../pipeline/family.js';
import { avifSettings } from '../options/avif-limits.js';
import { encodePicture, type Recipe } from './encode-picture.js';
import { fitOf } from '../options/picture-fit.js';

const SMALL = { width: 200, height: 100 };
/** Takes seconds to encode. */
const LARGE = { width: 3_000, height: 4_000 };

let [small, large]: Buffer[] = [];
beforeAll(async () => {
  const create = {
    channels: 3,
    background: 'red',
    noise: { type: 'gaussian', mean: 120, sigma: 40 },
  } as const;
  const drawn = (size: typeof SMALL): Promise<Buffer> =>
    sharp({ create: { ...create, ...size } })
      .png({ compressionLevel: 1 })
      .toBuffer();
  [small, large] = await Promise.all([drawn(SMALL), drawn(LARGE)]);
});

const recipeOf = (size: typeof SMALL): Recipe => ({
  ...fitOf(size, { image_fit: 'inside' }),
  format: 'avif',
  settings: avifSettings(size, { isTransparent: false }),
  isTransparent: false,
});

function encoding(
  picture: Uint8Array | undefined,
  size: typeof SMALL,
  { signal }: AbortController = new AbortController(),
) {
  const visit: Pick<Visit, 'signal' | 'remainingMs'> = { signal, remainingMs: () => 10_000 };
  if (!picture) throw new Error('unreachable');
  return encodePicture(visit as Visit, picture, recipeOf(size));
}

/** Pids of the encoders of this process. */
function encoders(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        return (
          Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sharp')
        );
      } catch {
        return false;
      }
    });
}

async function untilEncoding(): Promise<number> {
  for (;;) {
    const [pid] = encoders();
    if (pid !== undefined) return pid;
    await delay(5);
  }
}

const error = new AppError('job_canceled', {});

describe('an encoder of AVIF', () => {
  it('makes the same bytes each time', async () => {
    const [one, other] = [await encoding(small, SMALL), await encoding(small, SMALL)];
    expect(await sharp(one).metadata()).toMatchObject({ ...SMALL, compression: 'av1' });
    expect(other).toEqual(one);
    expect(encoders()).toEqual([]);
  });

  it('is killed when the visit ends, and makes room for the next', async () => {
    const visit = new AbortController();
    const [running, waiting, next] = [
      encoding(large, LARGE, visit),
      encoding(large, LARGE, visit),
      encoding(small, SMALL),
    ];
    const failed = Promise.all([running, waiting].map((work) => expect(work).rejects.toBe(error)));
    const pid = await untilEncoding();
    visit.abort(error);
    await failed;
    expect(encoders()).not.toContain(pid);
    expect((await next).length).toBeGreaterThan(0);
    expect(encoders()).toEqual([]);
  });

  it('runs alone', async () => {
    const done = Promise.all([1, 2, 3].map(() => encoding(small, SMALL))).then(() => true);
    let most = 0;
    while (!(await Promise.race([done, delay(5, false)]))) most = Math.max(most, encoders().length);
    expect(most).toBe(1);
  });

  it('does not begin for a visit that has ended', async () => {
    const visit = new AbortController();
    visit.abort(error);
    await expect(encoding(small, SMALL, visit)).rejects.toBe(error);
  });

  it('says why it failed', async () => {
    await expect(encoding(Buffer.from('no picture'), SMALL)).rejects.toThrow(
      /^The encoder ended with 1\. [^]*unsupported image format/,
    );
  });

  it('has nothing of the environment', async () => {
    const visit = new AbortController();
    const failed = expect(encoding(large, LARGE, visit)).rejects.toBe(error);
    const environment = readFileSync(`/proc/${await untilEncoding()}/environ`, 'utf8');
    visit.abort(error);
    await failed;
    expect(environment).not.toBe('');
    expect(environment.split('\0').filter((each) => !each.startsWith('NODE_CHANNEL') && each !== '')).toEqual(
      [],
    );
  });
});
