import sharp from 'sharp';
import type { BrowserPoolService } from '@app/browser';
import { CaptureEngine, type EngineParts } from '@app/capture/engine';
import { CaptureOptions, parseOptions, type Captured as Visited, type CapturedFile } from '@app/capture';
import type { Env } from '@app/config';
import { AppError, instantiate } from '@app/kernel';
import { noFilters } from './filters.js';
import type { Resolver } from '@app/outbound';
import { startFixtureSite, type FixtureSite } from './fixture-site.js';
import { onePagePool } from './browser.js';

/** A capture, with its first file. */
export type Captured = Visited & Pick<CapturedFile, 'bytes' | 'format'>;

export function withFirstFile(captured: Visited): Captured {
  const [{ bytes, format }] = captured.files;
  return { ...captured, bytes, format };
}

type RunOptions = Partial<EngineParts> & { readonly signal?: AbortSignal };

/** The engine with a real browser, and the fixture site, for one spec file. */
export class Capturing {
  private constructor(
    readonly site: FixtureSite,
    readonly pool: BrowserPoolService,
  ) {}

  /** `slots` is the number of captures that may run at the same time. */
  static async open(
    slots = 1,
    { settings = {}, resolver }: { settings?: Partial<Env>; resolver?: Resolver } = {},
  ): Promise<Capturing> {
    const pool = onePagePool({ WORKER_SLOTS: slots, ...settings }, resolver);
    const capturing = new Capturing(await startFixtureSite(), pool);
    await capturing.pool.start();
    return capturing;
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.site.close()]);
  }

  /** Captures a page of the site (`/bands.html`), a URL, or the `html` of the options. */
  async capture(
    page: string | null,
    options: Partial<CaptureOptions> = {},
    { signal = new AbortController().signal, maxBytes = 50e6, filters = noFilters }: RunOptions = {},
  ): Promise<Captured> {
    const url = page === null ? {} : { url: new URL(page, this.site.url).href };
    const engine = new CaptureEngine(this.pool, { maxBytes, filters });
    const given = { ...url, ...options };
    // The outputs inherit from the options that were sent, as those of a request do.
    const parsed = options.outputs ? parseOptions(given) : instantiate(CaptureOptions, given);
    const captured = await engine.capture(parsed, signal);
    return withFirstFile(captured);
  }

  /** The picture that a capture makes. */
  async picture(...args: Parameters<Capturing['capture']>): Promise<Picture> {
    return Picture.fromCapture(await this.capture(...args));
  }

  /** The error with which a capture fails; throws when it succeeds. */
  async failure(...args: Parameters<Capturing['capture']>): Promise<AppError> {
    try {
      await this.capture(...args);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    throw new Error('The capture did not fail.');
  }
}

/** A decoded picture, which gives the colour of a pixel. */
export class Picture {
  private constructor(
    readonly captured: Captured,
    readonly width: number,
    readonly height: number,
    private readonly channels: number,
    private readonly pixels: Buffer,
  ) {}

  static async fromCapture(captured: Captured): Promise<Picture> {
    const { data, info } = await sharp(captured.bytes, { limitInputPixels: false })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return new Picture(captured, info.width, info.height, info.channels, data);
  }

  /** Red, green and blue (and alpha, when the picture has it) in hexadecimal: `ff0000`. */
  colourAt(x: number, y: number): string {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) {
      throw new RangeError(`${x}, ${y} is outside ${this.width} × ${this.height}`);
    }
    const start = (y * this.width + x) * this.channels;
    return this.pixels.subarray(start, start + this.channels).toString('hex');
  }
  /** Number of px in a colour: red, green and blue in hexadecimal. */
  count(colour: string): number {
    const wanted = Buffer.from(colour, 'hex');
    let count = 0;
    for (let at = 0; at < this.pixels.length; at += this.channels)
      if (wanted.equals(this.pixels.subarray(at, at + wanted.length))) count += 1;
    return count;
  }
}
