/*
 * What a page made must gain nothing in the origin of the API, whatever a browser takes it for: no script, request, form
 * or frame, and, by `sandbox`, no access to the cookies and the storage of the origin. Helmet adds `nosniff` and
 * `Cross-Origin-Resource-Policy: same-origin` to every response.
 */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** For every file of a capture but a PDF. The viewers of Chromium and Firefox lay a picture out with styles of their own. */
export const CAPTURED = {
  'Content-Security-Policy': `${NOTHING}; style-src 'unsafe-inline'; sandbox`,
} as const;

/**
 * For a PDF, whose viewer is no part of the origin. Not every version of Chromium opens it in a sandbox, and some embed it
 * as an object of its own document.
 */
export const CAPTURED_PDF = {
  'Content-Security-Policy': `${NOTHING}; style-src 'unsafe-inline'; object-src 'self'`,
} as const;
