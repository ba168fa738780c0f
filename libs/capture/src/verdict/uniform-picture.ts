import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

const SIGNATURE_BYTES = 8;
/** Bytes of a chunk besides its data: length and type before it, a checksum after it. */
const CHUNK_HEAD = 8;
const CHUNK_BYTES = 12;
const COLOUR_BYTES: Readonly<Record<number, number>> = { 2: 3, 6: 4 };

const inflateAsync = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);

/**
 * The colour of a PNG whose pixels all have the same one, in hexadecimal (`ffffff`); undefined when they differ. It reads what
 * Chromium writes: 8 bits per channel, not interlaced.
 */
export async function uniformColour(png: Buffer): Promise<string | undefined> {
  const { width, height, depth, pixelBytes, data } = readPng(png);
  if (depth !== 8 || pixelBytes === undefined) return undefined;
  const rowBytes = width * pixelBytes;
  const rows = await inflateAsync(data, { maxOutputLength: height * (rowBytes + 1) });
  let above: Uint8Array = new Uint8Array(rowBytes);
  const first = unfilter(rows, { row: 0, rowBytes, pixelBytes }, above).slice(0, pixelBytes);
  above = new Uint8Array(rowBytes);
  for (let row = 0; row < height; row += 1) {
    const line = unfilter(rows, { row, rowBytes, pixelBytes }, above);
    for (let at = 0; at < rowBytes; at += 1) if (line[at] !== first[at % pixelBytes]) return undefined;
    above = line;
  }
  return Buffer.from(first).toString('hex');
}

function readPng(png: Buffer) {
  const parts: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at + CHUNK_BYTES <= png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + CHUNK_HEAD);
    if (type === 'IDAT') parts.push(png.subarray(at + CHUNK_HEAD, at + CHUNK_HEAD + length));
    at += CHUNK_BYTES + length;
  }
  const head = SIGNATURE_BYTES + CHUNK_HEAD;
  return {
    width: png.readUInt32BE(head),
    height: png.readUInt32BE(head + 4),
    depth: png.readUInt8(head + 8),
    pixelBytes: COLOUR_BYTES[png.readUInt8(head + 9)],
    data: Buffer.concat(parts),
  };
}

interface RowPlace {
  readonly row: number;
  readonly rowBytes: number;
  readonly pixelBytes: number;
}

/** The pixels of a row, whose filter (PNG specification, section 9) refers to the pixels to the left and to the row above. */
function unfilter(rows: Buffer, { row, rowBytes, pixelBytes }: RowPlace, above: Uint8Array): Uint8Array {
  const start = row * (rowBytes + 1);
  const filter = rows[start];
  const line = Uint8Array.prototype.slice.call(rows, start + 1, start + 1 + rowBytes);
  if (filter === 0) return line;
  for (let at = 0; at < rowBytes; at += 1) {
    const left = at < pixelBytes ? 0 : (line[at - pixelBytes] ?? 0);
    const up = above[at] ?? 0;
    const corner = at < pixelBytes ? 0 : (above[at - pixelBytes] ?? 0);
    const guess =
      filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
    line[at] = (line[at] ?? 0) + guess;
  }
  return line;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(estimate - value)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
