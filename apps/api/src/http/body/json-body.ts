import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@app/kernel';
import type { JsonLimits } from './json-extent.js';
import { notUtf8 } from './json-fault.js';
import { JsonScanner } from './json-scanner.js';
import { bodyOf, utf8TypeOf } from './request-body.js';

/** One capture: `html` may have 1 MB, which is 6 MB of JSON when each byte is escaped (`\u0001`); 2 MB are left for the rest. */
export const JSON_LIMIT_BYTES = 8_388_608;
/** All options but `html` at their limits, with each character escaped. */
const SMALL_BYTES = 2_097_152;

/** A body that may have `html`, such as the options of one capture. */
export const CAPTURE_LIMITS: JsonLimits = { bytes: JSON_LIMIT_BYTES, smallBytes: SMALL_BYTES };

/** A body without `html`. */
export function smallLimits(bytes: number): JsonLimits {
  return { bytes, smallBytes: bytes };
}

/** A body with a list of captures, whose other fields are those of one capture. */
export function listLimits(bytes: number, list: NonNullable<JsonLimits['list']>): JsonLimits {
  return { bytes, smallBytes: SMALL_BYTES, list };
}

/** A body whose list is parsed item by item. */
export interface JsonWithList {
  /** The body with an empty list in the place of the list. */
  readonly outline: unknown;
  /** Undefined when the body has no such list. */
  readonly items: Iterable<unknown> | undefined;
  readonly itemCount: number;
}

const FIRST_BYTES = 16_384;

/**
 * Reads and parses the JSON body of a request.
 *
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `invalid_request`, and what weighing the body throws
 */
export async function readJson(request: IncomingMessage, limits: JsonLimits): Promise<unknown> {
  const { bytes, scanner } = await readScanned(request, limits);
  const { list, itemOffsets } = scanner.extent;
  if (limits.list === undefined) return parse(bytes);
  if (!list) return { outline: parse(bytes), items: undefined, itemCount: 0 } satisfies JsonWithList;
  const outline = Buffer.concat([bytes.subarray(0, list.start), Buffer.from('[]'), bytes.subarray(list.end)]);
  const items = itemsOf(request, bytes, itemOffsets);
  return { outline: parse(outline), items, itemCount: itemOffsets.length / 2 } satisfies JsonWithList;
}

interface Scanned {
  readonly bytes: Buffer;
  readonly scanner: JsonScanner;
}

/** Reads a body into one buffer, and scans each chunk as it arrives. */
async function readScanned(request: IncomingMessage, limits: JsonLimits): Promise<Scanned> {
  requireJson(request.headers['content-type']);
  const scanner = new JsonScanner(limits);
  let buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let size = 0;
  for await (const chunk of bodyOf(request, { bytes: limits.bytes, name: 'A JSON body' })) {
    if (size + chunk.length > buffer.length) buffer = enlarged(buffer, size, size + chunk.length);
    chunk.copy(buffer, size);
    size += chunk.length;
    scanner.scan(buffer.subarray(0, size));
  }
  scanner.finish();
  assertPresent(request);
  const bytes = buffer.subarray(0, size);
  if (!isUtf8(bytes)) throw notUtf8();
  return { bytes, scanner };
}

function enlarged(buffer: Buffer, used: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length));
  buffer.copy(larger, 0, 0, used);
  return larger;
}

function* itemsOf(
  request: IncomingMessage,
  bytes: Buffer,
  offsets: readonly number[],
): Generator<unknown, void, undefined> {
  for (let i = 0; i < offsets.length; i += 2) {
    assertPresent(request);
    yield JSON.parse(bytes.toString('utf8', offsets[i], offsets[i + 1]));
  }
}

/** Nobody would get the answer to what is left to do. */
function assertPresent({ socket }: IncomingMessage): void {
  if (socket.destroyed) throw new AppError('invalid_request', { detail: 'The caller has disconnected.' });
}

function requireJson(contentType: string | undefined): void {
  if (utf8TypeOf(contentType) === 'application/json') return;
  throw new AppError('unsupported_media_type', {
    detail: 'Send the body as application/json, in UTF-8.',
  });
}

/** @param bytes of JSON that was scanned; the decoder leaves a byte order mark out */
function parse(bytes: Buffer): unknown {
  return JSON.parse(new TextDecoder().decode(bytes));
}
