import type { IncomingMessage } from 'node:http';
import { AppError } from '@app/kernel';
import { printParseErrorCode, visit, type ParseErrorCode } from 'jsonc-parser';
import { bodyOf, utf8TypeOf } from './request-body.js';

/** One capture: `html` may have 1 MB, which is 6 MB of JSON when each byte is escaped (`\u0001`); 2 MB are left for the rest. */
export const JSON_LIMIT_BYTES = 8_388_608;

/** No option nests deeper than 3 levels; the limit keeps a recursion over the value from overflowing the stack. */
const MAX_DEPTH = 32;

/**
 * Reads and parses the JSON body of a request.
 *
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `invalid_request`
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  requireJson(request.headers['content-type']);
  const chunks: Buffer[] = [];
  for await (const chunk of bodyOf(request, { bytes: maxBytes, name: 'A JSON body' })) chunks.push(chunk);
  const value = parseJson(decodeText(Buffer.concat(chunks)));
  if (isDeeper(value, MAX_DEPTH)) {
    throw new AppError('invalid_request', { detail: `The body nests deeper than ${MAX_DEPTH} levels.` });
  }
  return value;
}

function requireJson(contentType: string | undefined): void {
  if (utf8TypeOf(contentType) === 'application/json') return;
  throw new AppError('unsupported_media_type', {
    detail: 'Send the body as application/json, in UTF-8.',
  });
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
    // The parser's own message quotes the body, which may contain a secret.
    throw new AppError('invalid_request', { detail: `The body is not valid JSON${placeOf(text)}.`, cause });
  }
}

/** The position of the first fault, which JSON.parse reports only sometimes. */
function placeOf(text: string): string {
  let place = '';
  const onError = (
    code: ParseErrorCode,
    ...[, , line, character]: [number, number, number, number]
  ): void => {
    place ||= `: ${wordsOf(code)} in line ${line + 1}, column ${character + 1}`;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch {
    // Deeply nested brackets overflow the stack of this parser.
  }
  return place;
}

/** `CommaExpected` becomes `comma expected`. */
function wordsOf(code: ParseErrorCode): string {
  return printParseErrorCode(code)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
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
