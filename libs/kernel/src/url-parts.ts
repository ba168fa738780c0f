import { getDomain } from 'tldts';

/** The ports that a URL may leave out; `URL` itself drops them for the schemes of the web. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
  'redis:': 6379,
  'rediss:': 6379,
};

/** The host of a URL as it is dialled: without the brackets of an IPv6 address. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** The port of a URL, or the default of its scheme; 0 when the scheme has none that is known. */
export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  return port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port);
}

/**
 * The site of a host, as a browser sees it: its registrable domain with private suffixes (`a.github.io` is a site). A host
 * without one, such as an address or `localhost`, is a site of its own.
 */
export function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true, validateHostname: false }) ?? host.toLowerCase();
}
