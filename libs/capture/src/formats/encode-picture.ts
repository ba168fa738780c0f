import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type SharpLibrary from 'sharp';
import type { Sharp, SharpOptions } from 'sharp';
import { ConcurrencyLimit } from '@app/kernel';
import type { Visit } from '../pipeline/family.js';
import type { PictureFit, PictureSize } from '../options/picture-fit.js';
import type { DecodedRows } from './row-gaps.js';

/** Everything about a file besides the picture that it is made of; plain data, which crosses to another process. */
export interface Recipe extends PictureFit {
  readonly format: 'png' | 'jpeg' | 'webp' | 'avif';
  /** Options of the library for this format. */
  readonly settings: Readonly<Record<string, number | string>>;
  /** Whether a border is transparent, rather than white. */
  readonly isTransparent: boolean;
  /** The size of a picture that is decoded, and the number of bytes of a pixel. */
  readonly raw?: PictureSize & Pick<DecodedRows, 'channels'>;
}

/** Pictures that are scaled or compressed at the same time. Each occupies one of Node's four threads, which files and DNS need as well. */
const MAX_SCALED = 2;
/** Threads of an encoder of AVIF. Their number changes the bytes, so it is the same on all machines. */
const AVIF_THREADS = 2;
/** How much of what the process prints is kept, for the error when it fails. */
const MAX_OUTPUT_CHARS = 1_000;

const scaling = new ConcurrencyLimit(MAX_SCALED);
const avif = new ConcurrencyLimit(1);

/**
 * Makes a file of a picture: of another size, of another format, or compressed into fewer bytes. The first picture loads the
 * library.
 *
 * Rejects when the visit ends. An encoder of AVIF is killed then; any other, which takes a few seconds at most, comes to its end.
 */
export function encodePicture(visit: Visit, picture: Uint8Array, recipe: Recipe): Promise<Uint8Array> {
  const { signal } = visit;
  return recipe.format === 'avif'
    ? avif.run(() => encodeApart(picture, recipe, signal), signal)
    : scaling.run(() => encodeHere(picture, recipe, visit.remainingMs()), signal);
}

async function encodeHere(picture: Uint8Array, recipe: Recipe, withinMs: number): Promise<Uint8Array> {
  return encode(await openSharp(withinMs), picture, recipe);
}

/** The library, which ends its work after this time. */
async function openSharp(withinMs: number): Promise<OpenSharp> {
  const { default: sharp } = await import('sharp');
  // It would keep the pictures of the last captures in memory.
  sharp.cache(false);
  // More threads take more CPU time, and the browsers need the other cores.
  sharp.concurrency(1);
  const timeout = { seconds: Math.max(1, Math.ceil(withinMs / 1_000)) };
  return (...args) => sharp(...args).timeout(timeout);
}

/** Decodes some rows of a picture, as it is when it is scaled to its fit. The rows above them are decoded and dropped. */
export function decodeRows(
  visit: Visit,
  picture: Uint8Array,
  { fit, top, rows }: { readonly fit: PictureFit; readonly top: number; readonly rows: number },
): Promise<DecodedRows> {
  const { width, height, source } = fit;
  return scaling.run(async () => {
    const opened = (await openSharp(visit.remainingMs()))(picture, { limitInputPixels: false });
    const isScaled = width !== source.width || height !== source.height;
    const { data, info } = await (isScaled ? opened.resize({ width, height, fit: 'fill' }) : opened)
      .extract({ left: 0, top, width, height: rows })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { top, rows, width, channels: info.channels, pixels: data };
  }, visit.signal);
}

/**
 * Encodes in a process of its own: it can be ended at any time, its memory returns to the system, and a fault of the encoder
 * ends nothing else. The process ends with this one.
 *
 * @throws the reason of `signal`
 */
async function encodeApart(picture: Uint8Array, recipe: Recipe, signal: AbortSignal): Promise<Uint8Array> {
  const library = createRequire(import.meta.url).resolve('sharp');
  const parameters = [library, JSON.stringify(recipe), String(AVIF_THREADS), String(picture.length)];
  // It needs none of the secrets in the environment.
  const child = spawn(process.execPath, ['--eval', PROGRAM, ...parameters], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  const kill = (): boolean => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    // A process that ended says why by its code.
    child.stdin?.on('error', () => undefined).end(picture);
    const [[code, by], file, printed] = await Promise.all([
      once(child, 'close') as Promise<[number | null, string | null]>,
      readAll(child.stdout),
      readAll(child.stderr),
    ]);
    signal.throwIfAborted();
    if (code === 0) return file;
    throw new Error(`The encoder ended with ${by ?? code}. ${printed.toString().slice(-MAX_OUTPUT_CHARS)}`);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}

async function readAll(stream: AsyncIterable<Buffer> | null): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

type OpenSharp = (input: Uint8Array, options: SharpOptions) => Sharp;

/** Runs here, and as text in a process of its own: it must use nothing but its arguments. */
function encode(open: OpenSharp, picture: Uint8Array, recipe: Recipe): Promise<Uint8Array> {
  const { source, target, format, settings, raw } = recipe;
  const [right, bottom] = [recipe.width - target.x - target.width, recipe.height - target.y - target.height];
  const background = recipe.isTransparent ? '#00000000' : '#ffffff';
  return open(picture, { limitInputPixels: false, ...(raw && { raw }) })
    .extract({ left: source.x, top: source.y, width: source.width, height: source.height })
    .resize({ width: target.width, height: target.height, fit: 'fill' })
    .extend({ left: target.x, top: target.y, right, bottom, background })
    .toFormat(format, settings)
    .toBuffer();
}

interface ProcessParts {
  readonly process: NodeJS.Process;
  readonly load: (path: string) => unknown;
}

/** Runs as text in the process: reads a picture from its input and writes the file to its output. */
async function main({ process, load }: ProcessParts, make: typeof encode): Promise<void> {
  // An exit would wait for the work that has begun.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const [, path = '', recipe = '', threads, bytes] = process.argv;
  const sharp = load(path) as typeof SharpLibrary;
  sharp.cache(false);
  sharp.concurrency(Number(threads));
  const picture = Buffer.alloc(Number(bytes));
  let read = 0;
  for await (const chunk of process.stdin) read += (chunk as Buffer).copy(picture, read);
  const file = await make(sharp, picture, JSON.parse(recipe) as Recipe);
  process.stdout.end(file, () => process.exit(0));
}

const PROGRAM = `(${String(main)})({ process, load: require }, ${String(encode)})`;
