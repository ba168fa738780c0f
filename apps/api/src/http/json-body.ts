import type { IncomingMessage } from 'node:http';
import { AppError } from '@app/kernel';
import { printParseErrorCode, visit, type ParseErrorCode } from 'jsonc-parser';
import { bodyOf, utf8TypeOf } from './body.js';

/** One capture: `html` may have 1 MB, of which JSON makes 6 MB when each byte is escaped (`\u0001`), and 2 MB for all else. */
export const JSON_LIMIT_BYTES = 8_388_608;

/** No option nests deeper than 3; what recurses over a value must not be led to the end of its stack. */
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
    // The parser's own words quote the body, and with it what may be a secret.
    throw new AppError('invalid_request', { detail: `The body is not valid JSON${placeOf(text)}.`, cause });
  }
}

/** Where the first fault is: JavaScript's own parser reports it only sometimes. */
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
    // Brackets nest deeper than its stack.
  }
  return place;
}

/** `CommaExpected` as `comma expected`. */
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
