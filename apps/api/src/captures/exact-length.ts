import { AppError } from '@app/kernel';

/** A file is not as long as its record says. */
class WrongLength extends Error {
  override readonly name = 'WrongLength';
}

/**
 * Passes on a file that is as long as was announced, and fails on any other: without that a client would wait for bytes
 * that never come, or take those of a longer file for the next answer.
 *
 * A chunk is passed on when the next one has come, or the end: the last one ends the answer at once. A client that closes
 * the connection when it has all bytes would else look like one that hung up.
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
