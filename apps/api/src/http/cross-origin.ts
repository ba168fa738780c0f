import { LINKED_FILES_PATH } from '@app/jobs';
import type { NextFunction, Request, Response } from 'express';

/** The route of signed links, which pages of any site show. */
export const RENDER_PATH = '/v1/render';

/** Read as it is sent, because an error must be answered before anything is known about the link. */
const WANTS_PICTURE = /[?&]on_error=image(?=&|$)/;

/** What a script of another site may read besides the headers that the Fetch standard always shows. */
const EXPOSED = [
  'Age',
  'Content-Disposition',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Server-Timing',
  'X-Cache',
  'X-Capture-Billable',
  'X-Capture-Final-Url',
  'X-Capture-Http-Status',
  'X-Capture-Id',
  'X-Request-Id',
].join(', ');

/**
 * Opens signed links, their errors included, to pages of all sites. The link is the credential: a request carries no cookie
 * and no key of its reader, so that other sites learn nothing that the link does not give to everyone. All other routes
 * stay closed.
 */
export function openLinks(request: Request, response: Response, next: NextFunction): void {
  if (request.path === RENDER_PATH || request.path.startsWith(`${LINKED_FILES_PATH}/`)) {
    response.set({
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': EXPOSED,
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    response.locals.errorsArePictures =
      request.path === RENDER_PATH && WANTS_PICTURE.test(request.originalUrl);
  }
  next();
}

/** Whether an error of this request is answered with a picture. */
export function errorsArePictures({ locals }: Response): boolean {
  return locals.errorsArePictures === true;
}
