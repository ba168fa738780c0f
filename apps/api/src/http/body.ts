import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '@app/kernel';

/** How long a body may be, after decompression. */
export interface BodyLimit {
  readonly bytes: number;
  /** What it is of, as an error says it: `A JSON body`. */
  readonly name: string;
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The bytes of a body as they come in, decompressed.
 *
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `invalid_request`
 */
export async function* bodyOf(
  request: IncomingMessage,
  limit: BodyLimit,
): AsyncGenerator<Buffer, void, undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit.bytes) throw tooLarge(limit);
  let size = 0;
  try {
    // A request that is destroyed is read no further, and what was still to come would reset the connection.
    for await (const chunk of decoded(request).iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit.bytes) throw tooLarge(limit);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', {
      detail: 'The body cannot be decompressed or broke off.',
      cause: error,
    });
  }
}

/** The size of what comes out counts, or a small archive could fill the memory. */
function decoded(request: IncomingMessage): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return request;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined;
  if (!decoder) {
    throw new AppError('unsupported_media_type', {
      detail: 'Send the body as it is, or compressed with gzip, deflate or br.',
    });
  }
  request.once('error', (error) => decoder.destroy(error));
  return request.pipe(decoder);
}

/** The type that a body of text states, in lower case; undefined when it states another charset than UTF-8. */
export function utf8TypeOf(contentType = ''): string | undefined {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset) ? type : undefined;
}

function tooLarge({ bytes, name }: BodyLimit): AppError {
  return new AppError('payload_too_large', {
    detail: `${name} may be at most ${bytes} bytes (${bytes / 1_048_576} MB) long.`,
  });
}
