import { AppError } from '@app/kernel';
import type { NextFunction, Request, Response } from 'express';

export const MAX_HEADERS = 100;

/**
 * Refuses a request with too many headers. Node's own limit drops the surplus without a word, and the one that was
 * dropped may be the one that mattered.
 */
export function headerLimit(request: Request, _response: Response, next: NextFunction): void {
  if (request.rawHeaders.length / 2 <= MAX_HEADERS) next();
  else next(new AppError('headers_too_large', { detail: `At most ${MAX_HEADERS} headers are accepted.` }));
}
