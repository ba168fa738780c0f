import type { Response } from 'express';

/** A response holds what one account captured: no cache may keep it, neither a shared one nor a browser's. */
export const NO_STORE = { 'Cache-Control': 'no-store' } as const;

/** Headers that say how long a response may be kept. */
export type Caching = Readonly<Record<string, string>>;

/** The caller may keep the response, but must revalidate it before each use. */
export const REVALIDATE = { 'Cache-Control': 'private, no-cache' } as const;

/**
 * Answers 304 when the caller already has this version, and returns whether it did. Express' own check gives up on
 * `Cache-Control: no-cache`, which fetch adds to every request with `If-None-Match`.
 */
export function answersNotModified(etag: string, response: Response, caching: Caching = REVALIDATE): boolean {
  const { req: request } = response;
  const known = (request.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!known.includes(etag) && !known.includes('*')) return false;
  response
    .status(304)
    .set({ ETag: etag, ...caching })
    .end();
  return true;
}
