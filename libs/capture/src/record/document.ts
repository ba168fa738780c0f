import { boundText, every, integer, orNull, string, type BoundedText } from '@app/kernel';
import { defineFact } from './fact.js';

/** A response that led to another address. */
export interface RedirectHop {
  readonly url: BoundedText<'url'>;
  readonly status: number;
}

/** Chromium follows 20 redirects. */
export const MAX_REDIRECTS = 20;

/** The address of a document as a record holds it: without the user name and password that a redirect may have put into it. */
export function documentUrl(url: string): BoundedText<'url'> {
  return boundText('url', url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1'));
}

/** The document that the page shows. */
export const DOCUMENT_FACTS = {
  /** Null for an `html` target. */
  finalUrl: defineFact({
    empty: (): BoundedText<'url'> | null => null,
    store: (url): string | null => url,
    column: 'text',
    isErased: true,
    whenFailed: true,
    schema: {
      ...orNull('string', 'URL of the page after redirects, without user name and password.'),
      example: 'https://example.com/',
    },
  }),
  /** The HTTP redirects that led to it, in their order. */
  redirects: defineFact({
    empty: (): readonly RedirectHop[] => [],
    column: 'json',
    isErased: true,
    whenFailed: true,
    schema: {
      ...orNull('array'),
      items: every({
        url: {
          ...string,
          description: 'Address that redirected, without user name and password.',
          example: 'http://example.com/',
        },
        status: { ...integer, description: 'HTTP status of the redirect.', example: 301 },
      }),
      description: `HTTP redirects that led to the page, in their order, at most ${MAX_REDIRECTS}; null before the end of the capture, and for one that was canceled or deleted. Navigations by script or a meta element are none.`,
    },
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
