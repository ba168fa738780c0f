import { newId } from '@app/kernel';
import type { NextFunction, Request, Response } from 'express';

/** A caller's own id is taken over when it is safe to log and to send back. */
const ACCEPTED = /^[A-Za-z0-9_-]{8,64}$/;

/** Gives every request an id and every response the header `X-Request-Id`. Runs before all else. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const own = request.get('x-request-id');
  request.id = own !== undefined && ACCEPTED.test(own) ? own : newId();
  response.setHeader('X-Request-Id', request.id);
  next();
}
