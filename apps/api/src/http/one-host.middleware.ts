import { AppError } from '@app/kernel';
import type { NextFunction, Request, Response } from 'express';

/**
 * Refuses a request of HTTP/1.1 that names no host or several (RFC 9112, 3.2): a proxy in front may have read another
 * one than we do. Node would answer without a word, or take the first.
 */
export function oneHost(request: Request, _response: Response, next: NextFunction): void {
  const hosts = request.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && request.httpVersion !== '1.1')) next();
  else next(new AppError('invalid_request', { detail: 'A request must have one Host header.' }));
}
