import { boolean, orNull } from '@app/kernel';
import { defineFact } from './fact.js';

const WIDTH = orNull('integer', 'Width of a picture in px; null in other formats.');
const PAGES = orNull('integer', 'Number of pages of a PDF; null in other formats.');
const TRUNCATED = 'Whether the page was larger than what was captured.';

/** What a file shows. Null where its format has no such thing. */
export const FILE_FACTS = {
  /** Size of a picture in device px. */
  width: defineFact({
    empty: (): number | null => null,
    column: 'integer',
    isOfFile: true,
    isErased: false,
    whenFailed: false,
    schema: { ...WIDTH, example: 1280 },
    fileSchema: WIDTH,
  }),
  height: defineFact({
    empty: (): number | null => null,
    column: 'integer',
    isOfFile: true,
    isErased: false,
    whenFailed: false,
    schema: { ...orNull('integer'), example: 800 },
    fileSchema: orNull('integer'),
  }),
  /** Where a slice begins in the picture that it is cut of, in px; null for every other file. */
  offsetY: defineFact({
    empty: (): number | null => null,
    column: 'integer',
    isOfFile: true,
    isErased: false,
    whenFailed: false,
    schema: null,
    fileSchema: orNull(
      'integer',
      'Where a slice begins, in px from the top of the whole picture; null for a file that is none.',
    ),
  }),
  /** Number of pages of a PDF. */
  pages: defineFact({
    empty: (): number | null => null,
    column: 'integer',
    isOfFile: true,
    isErased: false,
    whenFailed: false,
    schema: PAGES,
    fileSchema: PAGES,
  }),
  /** Full height of the page in CSS px; of a file, that when the file was made. */
  pageHeight: defineFact({
    empty: (): number | null => null,
    column: 'integer',
    isErased: false,
    whenFailed: true,
    schema: { ...orNull('integer', 'Full height of the page in CSS px.'), example: 800 },
    fileSchema: orNull('integer', 'Full height of the page in CSS px when the file was made.'),
  }),
  /** The page was higher or wider than the picture of it. */
  truncated: defineFact({
    empty: (): boolean => false,
    column: 'boolean',
    isOfFile: true,
    isErased: false,
    whenFailed: false,
    schema: orNull('boolean', TRUNCATED),
    fileSchema: { ...boolean, description: TRUNCATED },
  }),
  /** What a text is made of; null for other formats, and for the text of a `selector`. */
  content: defineFact({
    empty: (): 'main' | 'full' | null => null,
    column: 'text',
    isOfFile: true,
    isErased: false,
    whenFailed: false,
    schema: null,
    fileSchema: {
      ...orNull('string'),
      enum: ['main', 'full', null],
      description: 'What a text is made of; null in other formats, and for the text of `selector`.',
    },
  }),
};
