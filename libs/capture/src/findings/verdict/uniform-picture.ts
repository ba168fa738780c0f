/**
 * The colour of a picture whose pixels all have the same one, in hexadecimal (`ffffff`, or `ffffffff` with its opacity); undefined
 * when they differ. The decoder is loaded here, because the files of most captures need none.
 */
export async function uniformColour(picture: Uint8Array): Promise<string | undefined> {
  const { default: sharp } = await import('sharp');
  const decoding = sharp(picture, { limitInputPixels: false }).raw();
  const { data, info } = await decoding.toBuffer({ resolveWithObject: true });
  // Every pixel equals the one before it.
  const isUniform = data.subarray(info.channels).equals(data.subarray(0, data.length - info.channels));
  return isUniform ? data.toString('hex', 0, info.channels) : undefined;
}
