import type { NextFunction, Request, Response } from 'express';

/** Answers hold what one account captured: no cache, neither a shared one nor a browser's, may keep them. */
export const NO_STORE = { 'Cache-Control': 'no-store' } as const;

/** Sets what holds for every answer. A route whose answer may be kept, such as a file, sets its own header instead. */
export function noStore(_request: Request, response: Response, next: NextFunction): void {
  response.set(NO_STORE);
  next();
}
