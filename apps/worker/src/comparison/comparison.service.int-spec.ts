import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import sharp from 'sharp';
import {
  noFileFacts,
  parseOptions,
  type Captured,
  type CapturedFile,
  type CaptureOptions,
  type ChangeReport,
  type Format,
} from '@app/capture';
import { Env } from '@app/config';
import { Job, type EarlierCaptureRepository } from '@app/jobs';
import { instantiate, newId } from '@app/kernel';
import { MemoryStorage } from '@app/storage';
import { SUCCESS } from '../../../../test/support/jobs.js';
import { ComparisonService, type Comparison } from './comparison.service.js';
import { OdiffService } from './odiff.service.js';
import { TextComparisonService } from './text-comparison.service.js';

/** The thread of the build, as sources have none that Node could run. */
class BuiltTexts extends TextComparisonService {
  protected override readonly thread = pathToFileURL(
    path.resolve('dist/apps/worker/src/comparison/text-thread.js'),
  );
}

const SIZE = { width: 200, height: 100 };

const plain = (background: string): Promise<Uint8Array> =>
  sharp({ create: { ...SIZE, channels: 3, background } })
    .png()
    .toBuffer();

describe(ComparisonService.name, () => {
  const storage = new MemoryStorage();
  const odiff = new OdiffService();
  let dataDir: string;
  let earlier: Job | null = null;
  let twin: Job | null = null;
  let service: ComparisonService;
  let [white, blue]: Uint8Array[] = [];

  function serviceWith(
    env: Partial<Env> = {},
    pictures: Pick<OdiffService, 'compare'> = odiff,
  ): ComparisonService {
    const captures: Pick<EarlierCaptureRepository, 'findPrevious' | 'listOfAccount'> = {
      findPrevious: () => Promise.resolve(earlier),
      listOfAccount: (_, [id]) => {
        const named = id === twin?.id ? twin : earlier;
        return Promise.resolve(named ? [named] : []);
      },
    };
    const settings = instantiate(Env, { DATA_DIR: dataDir, ...env });
    return new ComparisonService(
      captures as EarlierCaptureRepository,
      storage,
      pictures as OdiffService,
      new BuiltTexts(),
      settings,
    );
  }

  beforeAll(async () => {
    Logger.overrideLogger(false);
    dataDir = await mkdtemp(path.join(tmpdir(), 'compare-'));
    [white, blue] = [await plain('#fff'), await plain('#00f')];
    service = serviceWith();
  });

  afterAll(async () => {
    await service.onApplicationShutdown();
    odiff.onApplicationShutdown();
    await rm(dataDir, { recursive: true });
  });

  /** A succeeded capture with these files, the first of which is stored. */
  async function capturedEarlier(bytes: Uint8Array, more: Partial<Job> = {}): Promise<Job> {
    const id = newId();
    const resultKey = `captures/${id}/1.png`;
    await storage.put(resultKey, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { format = 'png' } = more;
    const file = { ...SUCCESS.files[0], ...SIZE, format, key: resultKey, bytes: bytes.length, sha256 };
    return Object.assign(new Job(), { id, resultKey, files: [file], options: {}, textHash: null, ...more });
  }

  const fileOf = (bytes: Uint8Array, name = 'result', format: Format = 'png'): CapturedFile => ({
    name,
    format,
    bytes,
    facts: { ...noFileFacts(), ...SIZE, pageHeight: null },
  });

  function compare(
    files: CapturedFile | readonly [CapturedFile, ...CapturedFile[]],
    given: Partial<CaptureOptions> = {},
    {
      using = service,
      signal = new AbortController().signal,
      textHash = null as Buffer | null,
      leftMs = 30_000,
    } = {},
  ): Promise<Comparison> {
    const options = parseOptions({ url: 'https://example.com', compare_with: 'previous', ...given });
    const all = Array.isArray(files) ? files : [files];
    const captured = { files: all, facts: SUCCESS.facts, textHash } as unknown as Captured;
    const job = Object.assign(new Job(), { id: newId(), accountId: newId() });
    return using.compare(job, { options, captured, leftMs }, signal);
  }

  it('reports a change with a file that shows it, and leaves no temporary files', async () => {
    earlier = await capturedEarlier(white ?? new Uint8Array());
    const { change, diff } = await compare(fileOf(blue ?? new Uint8Array()));
    expect(change).toEqual({
      compared_with: earlier.id,
      failure: null,
      changed: true,
      ratio: 1,
      size_changed: false,
      text_changed: null,
      noise: [],
      lines: [],
      summary: null,
      boxes: [{ x: 0, y: 0, ...SIZE }],
    });
    expect(diff).toMatchObject({ name: 'diff', format: 'png', facts: SIZE });
    const [folder = ''] = await readdir(dataDir);
    expect(await readdir(path.join(dataDir, folder))).toEqual(['owner']);
  });

  it('leaves out what has differed between captures of the same moment, also between earlier ones', async () => {
    const advertisement = { x: 0, y: 0, width: 20, height: 20 };
    const price = { x: 160, y: 70, width: 30, height: 20 };
    const parts = [advertisement, price].map(({ x: left, y: top, width, height }) => ({
      input: { create: { width, height, channels: 3 as const, background: '#00f' } },
      left,
      top,
    }));
    const changed = await sharp(white).composite(parts).png().toBuffer();
    earlier = await capturedEarlier(white ?? new Uint8Array());
    twin = await capturedEarlier(changed, { change: { noise: [advertisement] } as unknown as ChangeReport });
    const now = await sharp(changed).png({ compressionLevel: 0 }).toBuffer();
    const { change } = await compare(fileOf(now), { compare_confirms: twin.id });
    expect(change).toMatchObject({ changed: true, noise: [advertisement], boxes: [price] });
  });

  it('knows equal files by their hash, without reading any', async () => {
    const bytes = Buffer.from('no picture at all');
    earlier = await capturedEarlier(bytes);
    await storage.delete(earlier.resultKey ?? '');
    expect(await compare(fileOf(bytes))).toMatchObject({ change: { changed: false, ratio: 0 }, diff: null });
  });

  it('compares the file of the same name, or the first of the same kind', async () => {
    const other = await capturedEarlier(blue ?? new Uint8Array());
    earlier = await capturedEarlier(white ?? new Uint8Array());
    const named = [earlier, other].map(({ files }, i) => ({
      ...(files?.[0] ?? SUCCESS.files[0]),
      name: ['desktop', 'phone'][i] ?? '',
    }));
    earlier = Object.assign(earlier, { files: named });
    const blueFile = (name: string): CapturedFile => fileOf(blue ?? new Uint8Array(), name);
    expect((await compare(blueFile('phone'), { outputs: [{ name: 'phone' }] })).change?.changed).toBe(false);
    expect((await compare(blueFile('desktop'), { outputs: [{ name: 'desktop' }] })).change?.changed).toBe(
      true,
    );
    expect((await compare(blueFile('tv'), { outputs: [{ name: 'tv' }] })).change?.changed).toBe(true);
  });

  it('says whether the text changed when both captures know it', async () => {
    const hash = Buffer.alloc(32, 1);
    const file = fileOf(white ?? new Uint8Array());
    const textChanged = async (textHash: Buffer | null, given = {}): Promise<unknown> =>
      (await compare(file, given, { textHash })).change?.text_changed;
    earlier = await capturedEarlier(file.bytes, { textHash: hash });
    expect(await textChanged(hash)).toBe(false);
    expect(await textChanged(Buffer.alloc(32, 2))).toBe(true);
    expect(await textChanged(null)).toBeNull();
    expect(await textChanged(hash, { compare_ignore_selectors: ['.clock'] })).toBeNull();
    earlier = await capturedEarlier(file.bytes, { textHash: null });
    expect(await textChanged(hash)).toBeNull();
  });

  it('costs no capture when there is nothing to compare with', async () => {
    earlier = null;
    expect(await compare(fileOf(white ?? new Uint8Array()))).toEqual({ change: null, diff: null });
  });

  const failed = (failure: string, comparedWith = earlier?.id) => ({
    change: {
      compared_with: comparedWith,
      failure,
      changed: null,
      ratio: null,
      boxes: [],
      size_changed: null,
      text_changed: null,
      noise: [],
      lines: [],
      summary: null,
    },
    diff: null,
  });

  it('costs no capture when the comparison fails, and says why', async () => {
    earlier = null;
    const gone = newId();
    const file = fileOf(white ?? new Uint8Array());
    expect(await compare(file, { compare_with: gone })).toEqual(failed('file_missing', gone));
    // The file vanished meanwhile.
    earlier = await capturedEarlier(blue ?? new Uint8Array());
    await storage.delete(earlier.resultKey ?? '');
    expect(await compare(file)).toEqual(failed('file_missing'));
    // The file is no picture.
    earlier = await capturedEarlier(Buffer.from('no picture'));
    expect(await compare(file)).toEqual(failed('not_comparable'));
    // odiff cannot start.
    earlier = await capturedEarlier(blue ?? new Uint8Array());
    const using = serviceWith({}, { compare: () => Promise.reject(new Error('odiff is not installed')) });
    expect(await compare(file, {}, { using })).toEqual(failed('not_comparable'));
    await using.onApplicationShutdown();
  });

  it('ends with the time of the capture', async () => {
    earlier = await capturedEarlier(blue ?? new Uint8Array());
    expect(await compare(fileOf(white ?? new Uint8Array()), {}, { leftMs: -1 })).toEqual(failed('timed_out'));
  });

  const textOf = (text: string): CapturedFile => fileOf(Buffer.from(text), 'result', 'text');

  it('compares texts of any size while other work goes on', async () => {
    const lines = '\n'.repeat(15_000_000);
    earlier = await capturedEarlier(Buffer.from(`first${lines}x`), { format: 'text' });
    let turns = 0;
    const other = setInterval(() => (turns += 1), 1);
    const { change, diff } = await compare(textOf(`first${lines}y`), { format: 'text' });
    clearInterval(other);
    expect(change).toMatchObject({ failure: null, changed: true, text_changed: true });
    expect(Buffer.from(diff?.bytes ?? []).toString()).toContain('more bytes, SHA-256');
    expect(turns).toBeGreaterThan(5);
  });

  it('rejects when the capture of a text is canceled', async () => {
    earlier = await capturedEarlier(Buffer.from('one'), { format: 'text' });
    const controller = new AbortController();
    const comparing = compare(textOf('two'), { format: 'text' }, { signal: controller.signal });
    const reason = new Error('canceled');
    controller.abort(reason);
    await expect(comparing).rejects.toBe(reason);
  });

  it('keeps the report, but not a file of differences that is too large beside the others', async () => {
    earlier = await capturedEarlier(blue ?? new Uint8Array());
    const file = fileOf(white ?? new Uint8Array());
    const using = serviceWith({ RESULT_MAX_BYTES: file.bytes.length + 10 });
    expect(await compare(file, {}, { using })).toMatchObject({ change: { changed: true }, diff: null });
    await using.onApplicationShutdown();
  });

  it('rejects when the capture is canceled', async () => {
    earlier = await capturedEarlier(blue ?? new Uint8Array());
    const reason = new Error('canceled');
    const signal = AbortSignal.abort(reason);
    await expect(compare(fileOf(white ?? new Uint8Array()), {}, { signal })).rejects.toBe(reason);
  });
});
