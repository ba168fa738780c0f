import { createHash } from 'node:crypto';

/** Longer addresses are left out: a capture would refuse them, too. */
export const MAX_URL_LENGTH = 2_048;

/** Parameters that say where a visitor comes from, and never what the page is. */
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|_ga|_gl|_hsenc|_hsmi|mkt_tok|oly_(?:anon|enc)_id|vero_id|wickedid|phpsessid|jsessionid|aspsessionid\w*)$/i;

/** A session that a server writes into paths: `;jsessionid=…` of Java, `/(S(…))` of ASP.NET. */
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/;]*|\/\([A-Z]\([0-9a-z]{1,100}\)\)/gi;

const UNRESERVED = /[\w.~-]/;

/**
 * The address of a page as a crawl knows it; null for what is no web page. Two addresses that servers treat alike become the same: the
 * fragment, tracking parameters and session ids are dropped, parameters are sorted by name, and percent-encoding has one spelling.
 */
export function normalise(text: string, base?: string): URL | null {
  const url = URL.parse(text, base);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return null;
  if (url.href.length > 2 * MAX_URL_LENGTH) return null;
  url.hash = '';
  url.username = '';
  url.password = '';
  url.pathname = samePercents(url.pathname).replace(SESSION_IN_PATH, '');
  url.search = sortedQuery(url.search);
  return url.href.length > MAX_URL_LENGTH ? null : url;
}

/** What makes an address unique in a crawl; addresses are too long for an index. */
export function keyOf(url: string): Buffer {
  return createHash('sha256').update(url).digest();
}

function sortedQuery(search: string): string {
  const given = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !TRACKING.test(nameOf(part)));
  // Sorting is stable: parameters of the same name keep their order, which means something to some servers.
  const sorted = given.map(samePercents).sort((a, b) => compare(nameOf(a), nameOf(b)));
  return sorted.length === 0 ? '' : `?${sorted.join('&')}`;
}

function nameOf(parameter: string): string {
  return parameter.split('=', 1)[0] ?? '';
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** RFC 3986, section 6.2.2: hex digits in upper case, and nothing encoded that need not be. */
export function samePercents(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(parseInt(code.slice(1), 16));
    return UNRESERVED.test(character) ? character : code.toUpperCase();
  });
}
