import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { fingerprintOf, type Idempotency } from '@app/jobs';
import { AppError } from '@app/kernel';
import type { Request, Response } from 'express';

const HEADER = 'Idempotency-Key';
const MAX_LENGTH = 255;

/** ASCII from space to tilde. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/** A string of RFC 9651, 3.3.3. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** The `Idempotency-Key` of the request; undefined when it has none. */
export const IdempotencyKey = createParamDecorator((_: undefined, context: ExecutionContext) =>
  idempotencyKeyOf(context.switchToHttp().getRequest<Request>()),
);

/**
 * The key as it is stored: without the quotes that it may be sent in.
 *
 * @throws AppError `invalid_request` that names the header
 */
export function idempotencyKeyOf({ rawHeaders }: Pick<Request, 'rawHeaders'>): string | undefined {
  // Node joins headers of the same name, and the joined text would be a valid key.
  const sent = rawHeaders.filter((_, i) => i % 2 === 1 && isHeader(rawHeaders[i - 1]));
  const [text, ...more] = sent;
  if (text === undefined) return undefined;
  if (more.length > 0) throw invalidKey('repeated', 'must be sent once');
  if (!PRINTABLE.test(text)) {
    throw invalidKey('invalid_characters', 'must consist of printable ASCII characters');
  }
  const key = unquoted(text.trim());
  if (key === undefined) {
    throw invalidKey(
      'invalid_value',
      'must end with the quote that it begins with, and escape quotes within',
    );
  }
  if (key.length >= 1 && key.length <= MAX_LENGTH) return key;
  throw invalidKey('wrong_length', `must be 1 to ${MAX_LENGTH} characters long`);
}

/** What makes two requests the same; `route` includes its method, as in `POST /v1/jobs`. */
export function toIdempotency(
  key: string | undefined,
  route: string,
  body: unknown,
): Idempotency | undefined {
  return key === undefined ? undefined : { key, fingerprint: fingerprintOf(route, body) };
}

/** Marks a response that repeats the one to an earlier request. */
export function markReplay(response: Response, replayed: boolean): void {
  if (replayed) response.set('Idempotency-Replayed', 'true');
}

function isHeader(name: string | undefined): boolean {
  return name?.toLowerCase() === HEADER.toLowerCase();
}

function unquoted(text: string): string | undefined {
  if (!text.startsWith('"')) return text;
  return QUOTED.exec(text)?.[1]?.replace(/\\(.)/g, '$1');
}

function invalidKey(code: string, detail: string): AppError {
  return new AppError('invalid_request', {
    detail: `${HEADER} ${detail}.`,
    errors: [{ pointer: HEADER, code, detail }],
  });
}
