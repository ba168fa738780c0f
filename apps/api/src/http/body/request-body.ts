import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '@app/kernel';
import type { Request, Response } from 'express';

/** How long a body may be after decompression. */
export interface BodyLimit {
  readonly bytes: number;
  /** The kind of body, as an error names it: `A JSON body`. */
  readonly name: string;
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** How much of an unread body is discarded: more than twice the largest body that any route accepts. */
const MAX_DISCARDED_BYTES = 33_554_432;
const MAX_DISCARD_MS = 30_000;
/** The longest pause between two chunks that are discarded. */
const MAX_PAUSE_MS = 2_000;

/**
 * Streams the bytes of a body, decompressed.
 *
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `invalid_request`, `rate_limited`
 */
export async function* bodyOf(
  request: IncomingMessage,
  limit: BodyLimit,
): AsyncGenerator<Buffer, void, undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit.bytes) throw tooLarge(limit);
  let size = 0;
  let isWhole = false;
  try {
    // Destroying the request would reset the connection when more of the body arrives.
    for await (const chunk of decoded(request).iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit.bytes) throw tooLarge(limit);
      yield chunk;
    }
    isWhole = true;
    await request.weighBody?.(size);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', {
      detail: 'The body is incomplete or cannot be decompressed.',
      cause: error,
    });
  } finally {
    // What was read of a body that is refused counts as well; its error says more than that of the rate.
    if (!isWhole) void request.weighBody?.(size).catch(() => undefined);
  }
}

/** The type that a text body declares, in lower case; undefined when it declares a charset other than UTF-8. */
export function utf8TypeOf(contentType = ''): string | undefined {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset) ? type : undefined;
}

/**
 * Closes the connection after the response, for a body that was not read to its end.
 *
 * Closing a connection with unread bytes resets it, and a reset discards the response: a client that is still sending
 * would see a broken pipe instead. So only our side is closed, and what still arrives is discarded, within bounds.
 */
export function closeUnlessRead(request: Request, response: Response): void {
  if (request.complete || response.headersSent) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // Node calls it once the response is written.
  socket.destroySoon = () => {
    socket.end();
    discardRest(request, socket);
  };
}

/** The decompressed size counts: a small archive could fill the memory. */
function decoded(request: IncomingMessage): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return request;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined;
  if (!decoder) {
    throw new AppError('unsupported_media_type', {
      detail: 'Send the body uncompressed, or compressed with gzip, deflate or br.',
    });
  }
  request.once('error', (error) => decoder.destroy(error));
  return request.pipe(decoder);
}

function tooLarge({ bytes, name }: BodyLimit): AppError {
  return new AppError('payload_too_large', {
    detail: `${name} may be at most ${bytes} bytes (${bytes / 1_048_576} MB) long.`,
  });
}

function discardRest(request: Request, socket: Socket): void {
  const limit = socket.bytesRead + MAX_DISCARDED_BYTES;
  const end = (): void => {
    socket.destroy();
  };
  const timer = setTimeout(end, MAX_DISCARD_MS);
  socket.setTimeout(MAX_PAUSE_MS, end);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  request.unpipe();
  request
    .on('data', () => {
      if (socket.bytesRead > limit) end();
    })
    .once('end', end)
    .once('error', end)
    .resume();
}
