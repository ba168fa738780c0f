import sharp from 'sharp';
import type { CapturedFile } from '@app/capture';

/** A decoded picture. */
export interface DecodedPicture {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly pixels: Buffer;
}

export async function decoded(bytes: Uint8Array): Promise<DecodedPicture> {
  const { data, info } = await sharp(bytes, { limitInputPixels: false })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, pixels: data };
}

/** The picture that slices make when each is put where its `offset_y` says; throws when they leave a gap. */
export async function joined(slices: readonly CapturedFile[]): Promise<DecodedPicture> {
  const rows: Buffer[] = [];
  let height = 0;
  let first: DecodedPicture | undefined;
  for (const { bytes, facts, name } of slices) {
    const slice = await decoded(bytes);
    first ??= slice;
    const repeated = height - (facts.offsetY ?? 0);
    if (repeated < 0 || slice.height !== facts.height) throw new Error(`${name} does not follow`);
    rows.push(slice.pixels.subarray(repeated * slice.width * slice.channels));
    height += slice.height - repeated;
  }
  if (!first) throw new Error('There are no slices.');
  return { ...first, height, pixels: Buffer.concat(rows) };
}
