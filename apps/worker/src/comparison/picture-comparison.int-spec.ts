import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import sharp from 'sharp';
import type { Format, PictureBox } from '@app/capture';
import { eventually } from '../../../../test/support/eventually.js';
import { killProcess } from '../../../../test/support/processes.js';
import { OdiffService } from './odiff.service.js';
import { comparePictures, type ComparedPicture, type PictureChange } from './picture-comparison.js';

const odiff = new OdiffService();
let folder: string;

beforeAll(() => {
  // A process that dies is logged.
  Logger.overrideLogger(false);
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'comparison-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

afterAll(() => {
  odiff.onApplicationShutdown();
});

interface Drawn {
  readonly width?: number;
  readonly height?: number;
  /** SVG on a white page. */
  readonly content?: string;
  readonly format?: Format;
  readonly isTransparent?: boolean;
}

async function draw({ width = 400, height = 300, content = '', format = 'png', ...more }: Drawn = {}) {
  const page = more.isTransparent ? '' : '<rect width="100%" height="100%" fill="#fff"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${page}${content}</svg>`;
  const picture = sharp(Buffer.from(svg), { limitInputPixels: false });
  const bytes = await picture.toFormat(format as 'png').toBuffer();
  return { bytes, format, width, height };
}

const rect = (x: number, y: number, fill: string, size = 40): string =>
  `<rect x="${x}" y="${y}" width="${size}" height="${size}" fill="${fill}"/>`;

const text = (words: string): string =>
  `<text x="20" y="100" font-family="DejaVu Sans" font-size="16">${words}</text>`;

function compare(
  before: ComparedPicture,
  now: ComparedPicture,
  { ignored = [], threshold = 0.1 }: { ignored?: PictureBox[]; threshold?: number } = {},
): Promise<PictureChange> {
  const { signal } = new AbortController();
  return comparePictures({ before, now, threshold, ignored, folder, odiff, signal });
}

/** The colour of a pixel of the file of differences. */
async function colourAt({ diff }: PictureChange, x: number, y: number): Promise<number[]> {
  const pixel = sharp(diff?.bytes, { limitInputPixels: false }).extract({
    left: x,
    top: y,
    width: 1,
    height: 1,
  });
  return [...(await pixel.removeAlpha().raw().toBuffer())];
}

describe(comparePictures.name, () => {
  it('finds no change in equal pixels, whatever the encoding', async () => {
    const content = text('The quick brown fox') + rect(200, 200, '#048');
    const before = await draw({ content });
    const now = { ...before, bytes: await sharp(before.bytes).png({ compressionLevel: 0 }).toBuffer() };
    expect(await compare(before, now)).toEqual({ ratio: 0, boxes: [], diff: null });
    const webp = await sharp(before.bytes).webp({ lossless: true }).toBuffer();
    expect(await compare(before, { ...before, bytes: webp, format: 'webp' })).toMatchObject({ ratio: 0 });
  });

  it('finds a colour and a moved button, with the boxes of both places', async () => {
    const before = await draw({ content: rect(20, 20, '#c00') + rect(200, 100, '#080') });
    const now = await draw({ content: rect(20, 20, '#00c') + rect(300, 200, '#080') });
    const change = await compare(before, now);
    expect(change.boxes).toEqual([
      { x: 20, y: 20, width: 40, height: 40 },
      { x: 200, y: 100, width: 40, height: 40 },
      { x: 300, y: 200, width: 40, height: 40 },
    ]);
    expect(change.ratio).toBeCloseTo((3 * 1_600) / 120_000, 4);
    expect(change.diff).toMatchObject({ width: 400, height: 300 });
    const [r = 0, g = 0, b = 0] = await colourAt(change, 320, 220);
    expect(r).toBeGreaterThan(200);
    expect(Math.max(g, b)).toBeLessThan(120);
    // What did not change is faded.
    expect(await colourAt(change, 380, 20)).toEqual([255, 255, 255]);
  });

  it('finds one word of a text', async () => {
    const before = await draw({ content: text('The quick brown fox') });
    const change = await compare(before, await draw({ content: text('The quick green fox') }));
    expect(change.boxes).toHaveLength(1);
    const [box] = change.boxes;
    expect(box?.x).toBeGreaterThan(90);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(200);
    expect(box?.y).toBeGreaterThan(80);
    expect(box?.height).toBeLessThan(24);
  });

  it('does not count what is ignored, nor the pixels that it covers', async () => {
    const before = await draw({ content: rect(20, 20, '#c00') });
    const now = await draw({ content: rect(20, 20, '#00c') + rect(300, 200, '#080', 20) });
    const ignored = [
      { x: 0, y: 0, width: 200, height: 300 },
      { x: 10, y: 10, width: 200, height: 290 },
    ];
    const change = await compare(before, now, { ignored });
    expect(change.boxes).toEqual([{ x: 300, y: 200, width: 20, height: 20 }]);
    const compared = 400 * 300 - 200 * 300 - 10 * 290;
    expect(change.ratio).toBeCloseTo(400 / compared, 5);
    expect(await compare(before, now, { ignored: [{ x: 0, y: 0, width: 400, height: 300 }] })).toMatchObject({
      ratio: 0,
      diff: null,
    });
  });

  it('counts colours that differ by less than the threshold as equal', async () => {
    const before = await draw({ content: rect(20, 20, '#c00000') });
    const now = await draw({ content: rect(20, 20, '#c80808') });
    expect(await compare(before, now)).toMatchObject({ ratio: 0 });
    expect(await compare(before, now, { threshold: 0 })).toMatchObject({
      boxes: [{ x: 20, y: 20, width: 40, height: 40 }],
    });
  });

  it.each<[string, Drawn, Drawn, PictureBox[]]>([
    ['a higher page', {}, { height: 360 }, [{ x: 0, y: 300, width: 400, height: 60 }]],
    ['a lower page', { height: 360 }, {}, [{ x: 0, y: 300, width: 400, height: 60 }]],
    [
      'a lower and wider page',
      { height: 360 },
      { width: 420 },
      [
        { x: 400, y: 0, width: 20, height: 300 },
        { x: 0, y: 300, width: 400, height: 60 },
      ],
    ],
  ])('counts what only one picture has as changed: %s', async (_, one, other, boxes) => {
    const change = await compare(await draw(one), await draw(other));
    const area = boxes.reduce((sum, { width, height }) => sum + width * height, 0);
    expect(change.boxes).toEqual(boxes);
    expect(change.ratio).toBeCloseTo(area / (400 * 300 + area), 5);
    expect(change.diff).toMatchObject({
      width: Math.max(one.width ?? 400, other.width ?? 400),
      height: 360,
    });
    expect(await sharp(change.diff?.bytes).metadata()).toMatchObject({ height: 360, format: 'png' });
  });

  it('does not count a part that only one picture has when it is ignored', async () => {
    const [before, now] = [await draw({ content: rect(20, 20, '#c00') }), await draw({ height: 360 })];
    const ignored = [{ x: 0, y: 290, width: 400, height: 70 }];
    expect(await compare(await draw(), now, { ignored })).toMatchObject({ ratio: 0, diff: null });
    const { boxes, diff } = await compare(before, now, { ignored });
    expect(boxes).toEqual([{ x: 20, y: 20, width: 40, height: 40 }]);
    expect(await sharp(diff?.bytes).metadata()).toMatchObject({ width: 400, height: 360 });
  });

  it('compares pictures of other formats, and transparent ones', async () => {
    const content = rect(100, 100, '#080');
    const png = await draw({ content });
    for (const format of ['jpeg', 'avif'] as Format[]) {
      const one = await draw({ content, format });
      expect(await compare(png, one)).toMatchObject({ ratio: 0 });
      const other = await compare(one, await draw({ content: rect(240, 100, '#080'), format }));
      expect(other.boxes).toHaveLength(2);
      expect(Math.abs((other.boxes[0]?.x ?? 0) - 100)).toBeLessThan(8);
    }
    const clear = await draw({ content, isTransparent: true });
    const moved = await draw({ content: rect(240, 100, '#080'), isTransparent: true });
    expect(await compare(clear, clear)).toMatchObject({ ratio: 0 });
    expect((await compare(clear, moved)).boxes).toEqual([
      { x: 100, y: 100, width: 40, height: 40 },
      { x: 240, y: 100, width: 40, height: 40 },
    ]);
  });

  it('compares pictures that are too large for one request in bands', async () => {
    const size = { width: 1_300, height: 21_000 };
    const before = await draw(size);
    const now = await draw({ ...size, content: rect(100, 19_990, '#080') + rect(100, 20_500, '#c00') });
    const change = await compare(before, now);
    expect(change.boxes).toEqual([
      { x: 100, y: 19_990, width: 40, height: 40 },
      { x: 100, y: 20_500, width: 40, height: 40 },
    ]);
    const [r = 0, g = 0] = await colourAt(change, 120, 20_520);
    expect([r > 200, g < 120]).toEqual([true, true]);
    expect(await colourAt(change, 120, 10_000)).toEqual([255, 255, 255]);
  });
});

describe(OdiffService.name, () => {
  const files = async (): Promise<{ base: string; compare: string; output: string }> => {
    const [base, other] = [path.join(folder, 'a.png'), path.join(folder, 'b.png')];
    await writeFile(base, (await draw({ content: rect(20, 20, '#c00') })).bytes);
    await writeFile(other, (await draw()).bytes);
    return { base, compare: other, output: path.join(folder, 'out.png') };
  };
  const ask = { threshold: 0.1, ignoreRegions: [] };
  const never = new AbortController().signal;
  const isAlive = (pid: number | undefined): boolean => {
    try {
      return pid !== undefined && process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('keeps one process, which takes requests in turn', async () => {
    const request = { ...(await files()), ...ask };
    const { pid } = odiff;
    const results = await Promise.all([1, 2, 3].map(() => odiff.compare(request, 120_000, never)));
    expect(results.map(({ rows }) => rows.length)).toEqual([40, 40, 40]);
    expect(odiff.pid).toBeDefined();
    if (pid !== undefined) expect(odiff.pid).toBe(pid);
  });

  it('replaces the process before it has taken much memory', async () => {
    const request = { ...(await files()), ...ask };
    await odiff.compare(request, 120_000, never);
    const { pid } = odiff;
    await odiff.compare(request, 26_000_000, never);
    expect(odiff.pid).not.toBe(pid);
    await eventually('the process has ended', () => !isAlive(pid));
  });

  it('starts another process when one dies, also during a request', async () => {
    const request = { ...(await files()), ...ask };
    await odiff.compare(request, 120_000, never);
    const asked = odiff.compare(request, 120_000, never);
    const { pid } = odiff;
    killProcess(pid);
    expect((await asked).rows).toHaveLength(40);
    expect(odiff.pid).not.toBe(pid);
    killProcess(odiff.pid);
    await eventually('the process has ended', () => odiff.pid === undefined);
    expect((await odiff.compare(request, 120_000, never)).rows).toHaveLength(40);
  });

  it('refuses a file that is no picture, and goes on', async () => {
    const request = { ...(await files()), ...ask };
    const bad = path.join(folder, 'bad.png');
    const whole = await readFile(request.base);
    for (const bytes of [Buffer.from('no picture'), whole.subarray(0, 60), Buffer.alloc(0)]) {
      await writeFile(bad, bytes);
      await expect(odiff.compare({ ...request, compare: bad }, 1, never)).rejects.toThrow('Could not load');
    }
    expect((await odiff.compare(request, 120_000, never)).rows).toHaveLength(40);
  });

  it('ends the process when the signal aborts, and a request that waits for its turn', async () => {
    const request = { ...(await files()), ...ask };
    await odiff.compare(request, 120_000, never);
    const { pid } = odiff;
    const stop = new AbortController();
    const asked = [1, 2].map(() => odiff.compare(request, 120_000, stop.signal));
    stop.abort(new Error('canceled'));
    for (const each of asked) await expect(each).rejects.toThrow('canceled');
    await eventually('the process has ended', () => !isAlive(pid));
    expect((await odiff.compare(request, 120_000, never)).rows).toHaveLength(40);
  });

  it('exits with a worker that is killed', async () => {
    const binary = createRequire(import.meta.url)('odiff-bin/binary.js') as { findBinary(): string };
    const script = `const child = require('node:child_process').spawn(${JSON.stringify(binary.findBinary())}, ['--server'],
      { stdio: ['pipe', 'pipe', 'ignore'] });
      child.stdout.once('data', () => console.log(child.pid));`;
    const worker = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = (await once(worker.stdout, 'data')) as [Buffer];
    const pid = Number(printed.toString());
    expect(isAlive(pid)).toBe(true);
    worker.kill('SIGKILL');
    await eventually('the process has ended', () => !isAlive(pid));
  });
});
