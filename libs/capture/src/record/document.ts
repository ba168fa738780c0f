import { orNull, type BoundedText } from '@app/kernel';
import { defineFact } from './fact.js';

/** The document that the page shows. */
export const DOCUMENT_FACTS = {
  /** Null for an `html` target. */
  finalUrl: defineFact({
    empty: (): BoundedText<'url'> | null => null,
    store: (url): string | null => url,
    column: 'text',
    isErased: true,
    whenFailed: true,
    schema: { ...orNull('string', 'URL of the page after redirects.'), example: 'https://example.com/' },
  }),
  httpStatus: defineFact({
    empty: (): number | null => null,
    column: 'int2',
    isErased: false,
    whenFailed: true,
    schema: { ...orNull('integer', 'HTTP status of the page.'), example: 200 },
  }),
  title: defineFact({
    empty: (): BoundedText<'title'> | null => null,
    store: (title): string | null => title,
    column: 'text',
    isErased: true,
    whenFailed: true,
    schema: { ...orNull('string'), example: 'Example Domain' },
  }),
};
