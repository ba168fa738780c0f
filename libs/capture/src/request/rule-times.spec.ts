import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { AppError, fieldsOf, type FieldSpec } from '@app/kernel';
import { formatsOf } from '../formats/index.js';
import { parseOptions } from './parse-options.js';
import { CaptureOptions } from './capture-options.js';

/** What brings parsers and patterns to try again, to nest or to look far ahead. */
const PIECES = [
  ...[
    'a',
    '*a',
    'a:',
    ' ',
    '\t ',
    '(',
    ':is(',
    ':not(a',
    '[',
    '[a="',
    '"',
    "'",
    '\\',
    '\\41 ',
    'a>',
    'a ',
    '.a',
    '#',
  ],
  ...[
    '-',
    '1',
    '1-',
    '1-2,',
    ',',
    ';',
    '; ',
    '%',
    'xn--',
    '.',
    '..',
    '/',
    '?',
    '@',
    ':',
    '::',
    'é',
    '😀',
    '_',
    '+01:00',
  ],
  ...[
    '<',
    '<b ',
    '<b style="(',
    '<style>',
    'url(',
    '/*',
    '{',
    '&',
    '&#',
    'http://',
    'de-',
    'x-',
    'A/',
    '404',
    '5xx-',
  ],
];

const times = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Texts of the greatest length that the field takes: of one piece throughout, and with another end. */
function textsFor({ schema }: FieldSpec): string[] {
  const { maxLength = 4_000 } = schema as { maxLength?: number };
  return PIECES.flatMap((piece) => [
    times(piece, maxLength),
    `${times(piece, maxLength - 1)}!`,
    `http://${times(piece, Math.max(0, maxLength - 7))}`.slice(0, maxLength),
  ]);
}

function valuesFor(spec: FieldSpec): unknown[] {
  const { maxItems = 1, items } = spec.schema as { maxItems?: number; items?: FieldSpec['schema'] };
  if (spec.kind === 'text') return textsFor(spec);
  if (spec.kind === 'map') return PIECES.map((piece) => ({ [times(piece, 100)]: times(piece, 16_000) }));
  if (spec.variants) {
    return Object.entries(spec.variants).flatMap(([type, { fields }]) =>
      fieldsOf(fields).flatMap((each) =>
        each.kind === 'text'
          ? textsFor(each)
              .filter(isOneOfThree)
              .map((text) => Array.from({ length: maxItems }, () => ({ type, [each.name]: text })))
          : [],
      ),
    );
  }
  if (spec.items) {
    return fieldsOf(spec.items).flatMap((each) =>
      each.kind === 'text'
        ? textsFor(each)
            .filter(isOneOfThree)
            .map((text) => Array.from({ length: maxItems }, () => ({ [each.name]: text })))
        : [],
    );
  }
  return textsFor({ ...spec, schema: items ?? {} })
    .filter(isOneOfThree)
    .map((text) => Array.from({ length: maxItems }, () => text));
}

/** A list is a hundred texts: one of each piece is enough. */
function isOneOfThree(_: string, index: number): boolean {
  return index % 3 === 0;
}

const url = 'https://www.example.com/';
const fields = fieldsOf(CaptureOptions).filter(({ kind }) => ['text', 'list', 'map'].includes(kind));

describe('every rule takes linear time on its worst input', () => {
  it.each(fields.map((spec) => [spec.name, spec] as const))('%s', (name, spec) => {
    const judge = (value: unknown): void => {
      try {
        parseOptions({
          ...(name !== 'html' && { url }),
          format: formatsOf(name)?.[0] ?? 'png',
          [name]: value,
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
    };
    const judgeAll = (): void => valuesFor(spec).forEach(judge);
    // All together take a second or two. A rule that takes time by the square of its text takes minutes.
    expect(() => {
      runInNewContext('judgeAll()', { judgeAll }, { timeout: 50_000 });
    }).not.toThrow();
  });
});
