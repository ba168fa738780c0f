import { AppError } from '@app/kernel';

/** A file is not as long as its record says. */
class WrongLength extends Error {
  override readonly name = 'WrongLength';
}

/**
 * Passes on a file that is as long as was announced, and fails on any other: without that a client would wait for bytes
 * that never come, or take those of a longer file for the next answer.
 *
 * @throws AppError `storage_unavailable`
 */
export async function* exactLength(
  length: number,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const chunk of bytes) {
    passed += chunk.byteLength;
    if (passed > length) throw wrongLength(passed, length);
    yield chunk;
  }
  if (passed < length) throw wrongLength(passed, length);
}

function wrongLength(found: number, length: number): AppError {
  const cause = new WrongLength(`${found} bytes of ${length}`);
  return new AppError('storage_unavailable', { cause });
}
