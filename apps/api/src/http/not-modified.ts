import type { Request, Response } from 'express';

/**
 * Answers 304 when the caller has this version already; whether it did. Express' own check gives way to
 * `Cache-Control: no-cache`, which fetch adds to every request with `If-None-Match`.
 */
export function answersNotModified(etag: string, request: Request, response: Response): boolean {
  const known = (request.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!known.includes(etag) && !known.includes('*')) return false;
  response.status(304).set({ ETag: etag, 'Cache-Control': 'private, no-cache' }).end();
  return true;
}
