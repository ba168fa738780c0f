import { AppError } from '@app/kernel';

/** A file is not as long as its record says. */
class WrongLength extends Error {
  override readonly name = 'WrongLength';
}

/**
 * Passes on a file of exactly `length` bytes, and fails on any other: otherwise a client would wait for bytes that never
 * come, or read those of a longer file as the next response.
 *
 * Each chunk is passed on when the next chunk or the end has arrived, so that the last one ends the response immediately.
 * Otherwise a client that closes the connection after the last byte would look as if it had disconnected early.
 *
 * @throws AppError `storage_unavailable`
 */
export async function* exactLength(
  length: number,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let found = 0;
  let last: Uint8Array | undefined;
  for await (const chunk of bytes) {
    if (last) yield last;
    found += chunk.byteLength;
    if (found > length) throw wrongLength(found, length);
    last = chunk;
  }
  if (found < length) throw wrongLength(found, length);
  if (last) yield last;
}

function wrongLength(found: number, length: number): AppError {
  const cause = new WrongLength(`${found} bytes of ${length}`);
  return new AppError('storage_unavailable', { cause });
}
