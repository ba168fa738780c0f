import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import type { Request, Response } from 'express';
import { utf8TypeOf } from './body/request-body.js';
import { idempotencyKeyOf } from './idempotency.js';
import { answersNotModified } from './caching.js';
import { preferredWaitS } from '../sync/prefer.js';

/** The limit of all headers of a request together. */
const MAX_LENGTH = 16_384;

const READERS: Readonly<Record<string, (value: string) => unknown>> = {
  Prefer: (value) => preferredWaitS(requestWith(value)),
  'If-None-Match': (value) => answersNotModified('"x"', { req: requestWith(value) } as Response),
  'Idempotency-Key': (value) => idempotencyKeyOf({ rawHeaders: ['Idempotency-Key', value] }),
  'Content-Type': (value) => utf8TypeOf(value),
};

function requestWith(value: string): Request {
  return { get: () => value } as unknown as Request;
}

const PIECES = [
  ' ',
  ',',
  ';',
  '"',
  '\\',
  '\\"',
  'W/',
  'W/"',
  'wait=',
  'wait ',
  'wait = "1',
  'charset=',
  '1',
  'a',
  '=',
  '\t',
];

describe('every header is read in linear time, whatever its value', () => {
  it.each(Object.entries(READERS))('%s', (_, read) => {
    const values = PIECES.flatMap((piece) =>
      ['', '"', 'wait=', 'W/', 'text/csv;'].flatMap((start) =>
        ['', '"', '!'].map((end) => start + piece.repeat(MAX_LENGTH / piece.length) + end),
      ),
    );
    const readAll = (): void =>
      values.forEach((value) => {
        try {
          read(value);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
        }
      });
    // All together take less than a second; quadratic time would be minutes.
    expect(() => {
      runInNewContext('readAll()', { readAll }, { timeout: 50_000 });
    }).not.toThrow();
  });
});
