import type { HTTPRequest, Protocol } from 'puppeteer';
import { AppError, type Fault } from '@app/kernel';
import { defineFamily, type RequestVerdict, type Visit } from '../pipeline/family.js';
import { Flag, Items, Text, TextMap } from '../pipeline/option-fields.js';
import { RequestOrigins } from '../pipeline/request-origins.js';
import { cookieFaults, CookieOption } from './cookie.js';
import { headersFault } from './header-rule.js';
import type { TargetOptions } from './target.js';

const MAX_COOKIES = 100;

export class SessionOptions {
  @TextMap(
    'Request headers. They are sent only to the origin of the target, and only with requests of its own pages: not to other sites, not after a redirect to one, and not with requests that pages of other sites make to the target.',
    { exposure: 'secret', check: headersFault, example: { 'X-Preview': 'true' } },
  )
  headers: Record<string, string> = {};

  @Items(CookieOption, 'Cookies that are set before the page is opened.', {
    exposure: 'secret',
    maxItems: MAX_COOKIES,
    example: [{ name: 'session', value: 'a1b2' }],
  })
  cookies: CookieOption[] = [];

  @Text('User name for HTTP basic authentication. It is sent like `headers`, without waiting for a 401.', {
    exposure: 'secret',
    max: 255,
    check: userNameFault,
  })
  basic_auth_username?: string;

  @Text('Password for HTTP basic authentication.', { exposure: 'secret', min: 0, max: 1_000 })
  basic_auth_password?: string;

  @Text(
    'The session with which the page is visited: its name, or its id. It has logged in once (`POST /v1/sessions`), and each capture gets its cookies and storage. `url` must be of one of its origins.',
    { exposure: 'own', max: 64, check: sessionFault, example: 'shop' },
  )
  session?: string;

  @Flag(
    'Keeps what the page changed in its cookies and storage for the next captures with the `session`; otherwise it is dropped.',
    { exposure: 'script' },
  )
  session_save = false;

  @Flag(
    'Lets the rows of one batch with the same `session` share a browser context with its HTTP cache, at most 50 of them one after the other. What a page leaves there, the next one finds; a row that fails, or meets a log-in, ends it.',
    { exposure: 'script' },
  )
  session_share = false;

  @Flag('Ignores the Content-Security-Policy of the page.', { exposure: 'script' })
  bypass_csp = false;
}

/** Names of sessions: what a path and a cell of a CSV hold without escapes. */
export const SESSION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function sessionFault(name: string): string | undefined {
  return SESSION_NAME.test(name)
    ? undefined
    : 'must be the name of a session, 1 to 64 letters, digits, dots, hyphens and underscores, or its id';
}

function userNameFault(name: string): string | undefined {
  return name.includes(':') ? 'must not contain a colon' : undefined;
}

/** A session belongs to the site of the target. */
type SessionAndTarget = SessionOptions & Pick<TargetOptions, 'url'>;

const SITE_OPTIONS = ['session', 'headers', 'cookies', 'basic_auth_username', 'basic_auth_password'];

function check(options: SessionAndTarget, given: ReadonlySet<string>): Fault[] {
  const { basic_auth_username: username, basic_auth_password: password } = options;
  const conflict = (name: string, detail: string): Fault[] => [
    { pointer: `/${name}`, code: 'conflict', detail },
  ];
  const hasAuthorization = Object.keys(options.headers).some(
    (name) => name.toLowerCase() === 'authorization',
  );
  return [
    ...(given.has('html')
      ? SITE_OPTIONS.filter((name) => given.has(name)).flatMap((name) =>
          conflict(name, 'needs url, not html'),
        )
      : []),
    ...(username !== undefined && password === undefined
      ? conflict('basic_auth_username', 'needs basic_auth_password')
      : []),
    ...(password !== undefined && username === undefined
      ? conflict('basic_auth_password', 'needs basic_auth_username')
      : []),
    ...(username !== undefined && hasAuthorization
      ? conflict('basic_auth_username', 'must not be combined with an Authorization header')
      : []),
    ...(options.session_save && options.session === undefined
      ? conflict('session_save', 'needs session')
      : []),
    ...shareFaults(options).flatMap((detail) => conflict('session_share', detail)),
    ...everyCookieFault(options),
  ];
}

/** Rows that share a context would get what one of them brings, and a state that is kept would be that of all of them. */
function shareFaults(options: SessionOptions): string[] {
  if (!options.session_share) return [];
  if (options.session === undefined) return ['needs session'];
  if (options.session_save) return ['must not be combined with session_save'];
  if (options.cookies.length > 0) return ['must not be combined with cookies'];
  const isHeaderGiven = Object.keys(ownHeaders(options)).length > 0;
  return isHeaderGiven ? ['must not be combined with headers or basic_auth_username'] : [];
}

function everyCookieFault(options: SessionAndTarget): Fault[] {
  // Rows without cookies are checked without a look at their url, so that those that differ in it are checked once.
  if (options.cookies.length === 0) return [];
  const { url, cookies } = options;
  const host = url === undefined ? undefined : URL.parse(url)?.hostname;
  return cookies.flatMap((cookie, i) =>
    cookieFaults(cookie, host).map(({ pointer, ...fault }) => ({
      pointer: `/cookies/${i}${pointer}`,
      ...fault,
    })),
  );
}

async function prepare(visit: Visit, options: SessionOptions): Promise<void> {
  await Promise.all([
    setCookies(visit, options.cookies),
    options.bypass_csp && visit.cdp.send('Page.setBypassCSP', { enabled: true }),
    // The judge needs them to know which document issues a request.
    Object.keys(ownHeaders(options)).length > 0 && visit.reportContexts(),
  ]);
}

async function setCookies({ cdp, target }: Visit, cookies: readonly CookieOption[]): Promise<void> {
  if (!target || cookies.length === 0) return;
  try {
    await cdp.send('Network.setCookies', { cookies: cookies.map((cookie) => cookieOf(cookie, target)) });
  } catch (cause) {
    throw new AppError('invalid_request', {
      detail: 'cookies: the browser refuses one of them for this url',
      cause,
    });
  }
}

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

function cookieOf(cookie: CookieOption, target: URL): Protocol.Network.CookieParam {
  const { name = '', value = '', domain, path, expires, http_only, secure, same_site } = cookie;
  return {
    name,
    value,
    // Without a domain, the cookie is host-only, which Chromium derives from a URL.
    ...(domain === undefined ? { url: target.origin } : { domain }),
    path,
    ...(expires !== undefined && { expires }),
    httpOnly: http_only,
    secure,
    // Always set: browsers relax the default for two minutes.
    sameSite: SAME_SITE[same_site],
  };
}

/** The browser's cache holds responses to the caller's headers; foreign requests must not read them. */
const BYPASS_CACHE: RequestVerdict = { headers: { 'cache-control': 'no-cache' } };

/** Each hop of a redirect is judged as a request of its own, so the headers do not leave the origin. */
function judge({ target }: Visit, options: SessionOptions) {
  const headers = ownHeaders(options);
  if (!target || Object.keys(headers).length === 0) return undefined;
  const origins = new RequestOrigins(target.origin);
  return async (request: HTTPRequest): Promise<RequestVerdict> => {
    const by = await origins.initiatorOf(request);
    return by === 'own' ? { headers } : by === 'foreign' ? BYPASS_CACHE : 'pass';
  };
}

function ownHeaders({ headers, basic_auth_username, basic_auth_password }: SessionOptions) {
  if (basic_auth_username === undefined || basic_auth_password === undefined) return headers;
  // Sent without a challenge, because the browser would respond to a challenge of any origin.
  const credentials = Buffer.from(`${basic_auth_username}:${basic_auth_password}`).toString('base64');
  return { ...headers, authorization: `Basic ${credentials}` };
}

export const session = defineFamily<SessionAndTarget>(
  {
    name: 'session',
    doc: 'Credentials for the page. Headers, cookies and passwords are stored encrypted, deleted when the capture ends, and never shown again.',
  },
  SessionOptions,
  { check, prepare, judge },
);
