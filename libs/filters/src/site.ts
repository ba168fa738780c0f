import { getDomain } from 'tldts';

/**
 * The site of a host, as a browser sees it: its registrable domain with private suffixes (`a.github.io` is a site).
 * A host without one, such as an address or `localhost`, is a site of its own.
 */
export function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true, validateHostname: false }) ?? host.toLowerCase();
}

/** The host of a URL in lower case; '' when it has none. */
export function hostOfUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
