import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const GZIP = [0x1f, 0x8b];

/** A `.gz` that is compressed once more on its way. */
const MAX_LAYERS = 2;

/**
 * The body without compression, up to a number of bytes; then it ends. Whether it is compressed is seen by its first bytes: servers
 * name the encoding of a `.gz` in every way.
 */
export async function* decodedBody(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let left = maxBytes;
  for await (const part of decoded(body, MAX_LAYERS)) {
    yield part.subarray(0, left);
    left -= part.length;
    if (left <= 0) return;
  }
}

async function* decoded(body: AsyncIterable<Buffer>, layers: number): AsyncGenerator<Buffer> {
  const parts = body[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < GZIP.length) {
    const next = await parts.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const whole = startingWith(head, parts);
  if (layers === 0 || GZIP.some((byte, at) => head[at] !== byte)) yield* whole;
  else yield* decoded(unzipped(whole), layers - 1);
}

async function* startingWith(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function* unzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(body, { objectMode: false });
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const part of source.pipe(gunzip)) yield part as Buffer;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}
