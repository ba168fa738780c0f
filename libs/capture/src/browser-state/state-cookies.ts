import type { Protocol } from 'puppeteer';
import type { StateCookie } from '../pipeline/browser-state.js';

/** Whether a cookie is sent to one of the origins. A cookie of a top-level domain is not: it would be sent to everyone. */
export function isCookieOf(origins: readonly string[], { domain }: Pick<StateCookie, 'domain'>): boolean {
  const wanted = domain.toLowerCase().replace(/^\./, '');
  return origins.some((origin) => {
    const { hostname } = new URL(origin);
    if (hostname === wanted) return true;
    const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
    return !isAddress && domain.startsWith('.') && wanted.includes('.') && hostname.endsWith(`.${wanted}`);
  });
}

/** The cookie as the browser takes it. Without a domain it belongs to the host alone, as a `__Host-` cookie must. */
export function toCookieParam(cookie: StateCookie): Protocol.Network.CookieParam {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, partitionKey } = cookie;
  const url = `${secure ? 'https' : 'http'}://${domain.replace(/^\./, '')}${path}`;
  return {
    name,
    value,
    url,
    path,
    httpOnly,
    secure,
    ...(domain.startsWith('.') && { domain }),
    ...(expires > 0 && { expires }),
    ...(sameSite && { sameSite }),
    ...(partitionKey && { partitionKey }),
  };
}

/** The cookie of the browser as a state has it. */
export function toStateCookie(cookie: Protocol.Network.Cookie): StateCookie {
  const { name, value, domain, path, expires, session, httpOnly, secure, sameSite, partitionKey } = cookie;
  return {
    name,
    value,
    domain,
    path,
    expires: session ? -1 : expires,
    httpOnly,
    secure,
    ...(sameSite && { sameSite }),
    ...(partitionKey && { partitionKey }),
  };
}
