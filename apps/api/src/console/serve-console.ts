import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Env } from '@app/config';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import sirv from 'sirv';
import { CONSOLE_PATH } from '../http/auth/console-cookie.js';
import { consoleCalls } from './console-access.middleware.js';

/** Written by the build of apps/console. */
const BUILT = 'dist/console';
const NOT_BUILT = 'The console is not built: npm run build\n';
/** Stands in the built page where each response puts a nonce of its own. */
const NONCE = /__NONCE__/g;

/** Files; every other path is a page of the console. No page has a name with an extension. */
const STATIC = /^\/assets\/|\.[a-z0-9]+$/;
/** The API and the session are below these. */
const RESERVED = /^\/(keys|session|log-ins)(\/|$)/;

/** The console loads nothing from elsewhere. A PDF is shown from a blob URL, in the viewer of the browser. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    'frame-src blob:',
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

/** Serves the console at /console. Must be called before the app listens. */
export function serveConsole(app: NestExpressApplication): void {
  if (!app.get(Env).CONSOLE) return;
  app.use(consoleCalls);
  app.use(redirectBrowsers);
  app.use(CONSOLE_PATH, servePages(builtPages(import.meta.dirname)));
}

/** A person who opens the address of the service comes for the console; a program gets the 404 that it would get anyway. */
function redirectBrowsers(request: Request, response: Response, next: NextFunction): void {
  const isBrowser =
    request.method === 'GET' && request.path === '/' && request.get('accept')?.includes('text/html');
  if (isBrowser) response.redirect(302, CONSOLE_PATH);
  else next();
}

/** The folder of the built pages, in the checkout or the image that a folder of this program is in. */
function builtPages(from: string): string {
  const folder = path.join(from, BUILT);
  const parent = path.dirname(from);
  return existsSync(folder) || parent === from ? folder : builtPages(parent);
}

/** Serves the built pages in `folder` as they are now; files that a later build removes are not found. */
export function servePages(
  folder: string,
): (request: Request, response: Response, next: NextFunction) => void {
  const page = pageOf(folder);
  const assets =
    page === undefined ? undefined : sirv(folder, { etag: true, gzip: true, brotli: true, setHeaders });
  return (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || RESERVED.test(request.path)) next();
    else if (page === undefined) response.status(503).type('text').send(NOT_BUILT);
    else if (STATIC.test(request.path)) {
      // `sirv` keeps a list, and a listed file that is gone would end the process.
      if (existsSync(path.join(folder, request.path))) assets?.(request, response, next);
      else next();
    } else sendPage(page, response);
  };
}

function pageOf(folder: string): string | undefined {
  const file = path.join(folder, 'index.html');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** The names of assets contain the hash of their bytes. */
function setHeaders(response: { setHeader(name: string, value: string): unknown }, file: string): void {
  const isHashed = file.startsWith('/assets/');
  response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
}

/** Every path is a page of the console, which shows "not found" by itself. */
function sendPage(page: string, response: Response): void {
  const nonce = randomBytes(16).toString('base64');
  response.set({ 'Content-Security-Policy': policy(nonce), 'Cache-Control': 'no-cache' });
  response.type('html').send(page.replace(NONCE, nonce));
}
