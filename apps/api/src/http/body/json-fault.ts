import { AppError, invalidRequest } from '@app/kernel';

/** The names and indices of a pointer: more would only repeat what a hostile body nests. */
const MAX_SEGMENTS = 4;
/** A hostile name is not echoed whole. */
const MAX_NAME = 100;

/** The error of bytes that are not JSON, with the place of the first fault, but nothing of the body, which may hold a secret. */
export function syntaxError(words: string, bytes: Buffer, at: number): AppError {
  if (!startsCharacter(bytes, at)) return notUtf8();
  const before = bytes.subarray(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = countLines(before) + 1;
  const column = before.toString('utf8', lineStart).length + 1;
  return new AppError('invalid_request', {
    detail: `The body is not valid JSON: ${words} in line ${line}, column ${column}.`,
  });
}

export function notUtf8(cause?: unknown): AppError {
  return new AppError('invalid_request', { detail: 'The body is not valid UTF-8.', cause });
}

/** The error of a value that exceeds a limit. */
export function excess(path: readonly (string | number)[], code: string, detail: string): AppError {
  const segments = path.slice(0, MAX_SEGMENTS).map((segment) => `/${escapeSegment(String(segment))}`);
  return invalidRequest([{ pointer: segments.join(''), code, detail }]);
}

/** RFC 6901. */
function escapeSegment(name: string): string {
  return name.slice(0, MAX_NAME).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Whether the byte there can begin a character of UTF-8, as far as its bytes have arrived. */
function startsCharacter(bytes: Buffer, at: number): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(at, at + 4), { stream: true });
    return true;
  } catch {
    return false;
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}
