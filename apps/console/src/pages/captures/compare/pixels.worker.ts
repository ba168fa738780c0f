import type { Two } from './two.js';
import { countChanged } from './count-changed.js';
import type { WorkerAnswer } from './in-worker.js';

export interface PixelQuestion {
  /** Two pictures of the same size. */
  readonly pictures: Two<Blob>;
}

export interface PixelAnswer {
  readonly changed: number;
  readonly total: number;
}

/** Rows that are compared at once: pictures can be too high for one canvas. */
const STRIP = 512;

self.onmessage = async ({ data: { pictures } }: MessageEvent<PixelQuestion>) => {
  const answer: WorkerAnswer<PixelAnswer> = await compare(pictures).then(
    (result) => ({ result }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  self.postMessage(answer);
};

async function compare(pictures: Two<Blob>): Promise<PixelAnswer> {
  const [a, b] = [await createImageBitmap(pictures[0]), await createImageBitmap(pictures[1])];
  const { width, height } = a;
  const canvas = new OffscreenCanvas(width, Math.min(STRIP, height)).getContext('2d', {
    willReadFrequently: true,
  });
  if (!canvas) throw new Error('This browser cannot compare pictures');
  const strip = (picture: ImageBitmap, top: number, rows: number): Uint8ClampedArray => {
    canvas.clearRect(0, 0, width, rows);
    canvas.drawImage(picture, 0, -top);
    return canvas.getImageData(0, 0, width, rows).data;
  };
  let changed = 0;
  for (let top = 0; top < height; top += STRIP) {
    const rows = Math.min(STRIP, height - top);
    changed += countChanged(strip(a, top, rows), strip(b, top, rows));
  }
  return { changed, total: width * height };
}
