import { crc32, inflateRawSync } from 'node:zlib';

/** A file of an archive, as its table of contents describes it. */
export interface ZippedFile {
  readonly path: string;
  readonly compressed: boolean;
  /** In seconds, as the extra field for Unix has it. */
  readonly modifiedAt: Date;
  readonly bytes: Buffer;
}

const END = 0x06054b50;
const END_BYTES = 22;
const RECORD = 0x02014b50;
const LOCAL = 0x04034b50;
const TIME_FIELD = 0x5455;
const DEFLATED = 8;

/**
 * Reads an archive by its table of contents, as programs do, and checks it: sizes, checksums, local headers. Zip64 is not
 * supported.
 *
 * @throws Error for an archive that is damaged or incomplete
 */
export function readZip(archive: Buffer): ZippedFile[] {
  const end = archive.length - END_BYTES;
  if (end < 0 || archive.readUInt32LE(end) !== END) throw new Error('The archive has no end');
  const files: ZippedFile[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let i = 0; i < archive.readUInt16LE(end + 10); i++) {
    expectAt(archive, at, RECORD);
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    ) as [number, number, number];
    const name = archive.subarray(at + 46, at + 46 + nameBytes);
    files.push(readFile(archive, at, name));
    at += 46 + nameBytes + extraBytes + commentBytes;
  }
  if (at !== end) throw new Error('The table of contents does not end at the end');
  return files;
}

function readFile(archive: Buffer, record: number, name: Buffer): ZippedFile {
  const method = archive.readUInt16LE(record + 10);
  const [checksum, packedBytes, bytes] = [16, 20, 24].map((offset) =>
    archive.readUInt32LE(record + offset),
  ) as [number, number, number];
  const local = archive.readUInt32LE(record + 42);
  expectAt(archive, local, LOCAL);
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + packedBytes);
  const content = method === DEFLATED ? inflateRawSync(packed) : packed;
  if (content.length !== bytes || crc32(content) !== checksum) throw new Error(`${String(name)} is damaged`);
  if (
    !archive
      .subarray(local + 30)
      .subarray(0, name.length)
      .equals(name)
  )
    throw new Error('Two names');
  const extra = record + 46 + name.length;
  if (archive.readUInt16LE(extra) !== TIME_FIELD) throw new Error('There is no time');
  const modifiedAt = new Date(archive.readUInt32LE(extra + 5) * 1_000);
  return { path: String(name), compressed: method === DEFLATED, modifiedAt, bytes: content };
}

function expectAt(archive: Buffer, at: number, signature: number): void {
  if (archive.readUInt32LE(at) !== signature) throw new Error(`There is no header at ${at}`);
}
