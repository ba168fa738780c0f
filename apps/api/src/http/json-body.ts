import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '@app/kernel';

/** JSON bodies, after decompression. */
export const JSON_LIMIT_BYTES = 1_048_576;

/** No option nests deeper than 3; what recurses over a value must not be led to the end of its stack. */
const MAX_DEPTH = 32;

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads and parses the JSON body of a request.
 *
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `invalid_request`
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  requireJson(request.headers['content-type']);
  const text = decodeText(await readBytes(request));
  const value = parseJson(text);
  if (isDeeper(value, MAX_DEPTH)) {
    throw new AppError('invalid_request', { detail: `The body nests deeper than ${MAX_DEPTH} levels.` });
  }
  return value;
}

function requireJson(contentType = ''): void {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type === 'application/json' && isUtf8) return;
  throw new AppError('unsupported_media_type', {
    detail: 'Send the body as application/json, in UTF-8.',
  });
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > JSON_LIMIT_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(request) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > JSON_LIMIT_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', {
      detail: 'The body cannot be decompressed or broke off.',
      cause: error,
    });
  }
  return Buffer.concat(chunks);
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

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('invalid_request', { detail: 'The body is not valid UTF-8.', cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's own words quote the body, and with it what may be a secret.
    throw new AppError('invalid_request', { detail: 'The body is not valid JSON.', cause });
  }
}

function isDeeper(value: unknown, max: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > max) return true;
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? (Object.values(item) as unknown[]) : [],
    );
  }
  return false;
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', {
    detail: `A JSON body may be at most ${JSON_LIMIT_BYTES} bytes (1 MB) long.`,
  });
}
