/**
 * What a page made must gain nothing in the origin of the API, whatever a browser takes it for: no script, request, form
 * or frame, and, by `sandbox`, no access to the cookies and the storage of the origin. Helmet adds `nosniff` and
 * `Cross-Origin-Resource-Policy: same-origin` to every response.
 *
 * Under this policy Chromium 156 and Firefox 153 still show pictures and PDFs in a tab. Their viewers lay a picture out
 * with inline styles, which can load nothing.
 */
export const CAPTURED = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
} as const;
