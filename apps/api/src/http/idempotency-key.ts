import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { AppError } from '@app/kernel';
import type { Request } from 'express';

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
  // Node joins headers of one name, and what comes out would pass for a key.
  const sent = rawHeaders.filter((_, i) => i % 2 === 1 && isHeader(rawHeaders[i - 1]));
  const [text, ...more] = sent;
  if (text === undefined) return undefined;
  if (more.length > 0) throw refused('repeated', 'must be sent once');
  if (!PRINTABLE.test(text)) throw refused('invalid_characters', 'must be of printable ASCII characters');
  const key = unquoted(text.trim());
  if (key === undefined) {
    throw refused('invalid_value', 'must end with the quote that it begins with, and escape quotes within');
  }
  if (key.length >= 1 && key.length <= MAX_LENGTH) return key;
  throw refused('wrong_length', `must be 1 to ${MAX_LENGTH} characters long`);
}

function isHeader(name: string | undefined): boolean {
  return name?.toLowerCase() === HEADER.toLowerCase();
}

function unquoted(text: string): string | undefined {
  if (!text.startsWith('"')) return text;
  return QUOTED.exec(text)?.[1]?.replace(/\\(.)/g, '$1');
}

function refused(code: string, detail: string): AppError {
  return new AppError('invalid_request', {
    detail: `${HEADER} ${detail}.`,
    errors: [{ pointer: HEADER, code, detail }],
  });
}
