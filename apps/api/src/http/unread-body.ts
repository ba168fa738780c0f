import type { Request, Response } from 'express';

/** What is left of a body is not read: the connection cannot carry another request. */
export function closeUnlessRead(request: Request, response: Response): void {
  if (!request.complete && !response.headersSent) response.setHeader('Connection', 'close');
}
