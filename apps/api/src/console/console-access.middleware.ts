import { AppError } from '@app/kernel';
import type { NextFunction, Request, Response } from 'express';
import { CONSOLE_HEADER, CONSOLE_PATH } from '../http/auth/console-cookie.js';

/** A call of the API by the console: `/console/keys/<key id>/v1/…`. */
const CALL = new RegExp(`^${CONSOLE_PATH}/keys/([0-9A-Za-z]{16})(/v1/.*)$`);
const SAFE = ['GET', 'HEAD'];

/**
 * Lets the console call the API with its cookie: `/console/keys/<key id>/v1/usage` becomes `/v1/usage` as the caller of that
 * key. The cookie is sent only below /console, so that no request to /v1 ever depends on one.
 */
export function consoleCalls(request: Request, response: Response, next: NextFunction): void {
  const [, keyId, url] = CALL.exec(request.url) ?? [];
  if (keyId === undefined || url === undefined) {
    next();
    return;
  }
  request.consoleKeyId = keyId;
  request.url = url;
  // What a browser has kept of one session must not be shown after its log-out.
  response.vary('Cookie');
  next(refusalOf(request));
}

/** Why a request cannot be one of the console's own pages. */
export function refusalOf(request: Request): AppError | undefined {
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && SAFE.includes(request.method))) {
    return new AppError('unauthorized', { detail: 'The session of the console is only for its own pages.' });
  }
  if (SAFE.includes(request.method) || request.get(CONSOLE_HEADER) !== undefined) return undefined;
  return new AppError('unauthorized', {
    detail: `A request that changes something needs the header ${CONSOLE_HEADER}.`,
  });
}
