import { hostOf, portOf, siteOf } from '@app/kernel';
import type { CrawlRules } from '../crawl-rules.js';
import { matchesWildcard } from './wildcard.js';

/** The rules that say which addresses belong to a crawl. */
export type ScopeRules = Pick<CrawlRules, 'same' | 'include' | 'exclude'>;

/** Decides which addresses belong to a crawl, before robots.txt and limits. */
export class Scope {
  private readonly prefix: string;

  constructor(
    private readonly start: URL,
    private readonly rules: ScopeRules,
  ) {
    this.prefix = start.pathname.slice(0, start.pathname.lastIndexOf('/') + 1);
  }

  /** The same address with the scheme of the start, if it is of the same host: a site answers alike on both of them. */
  align(url: URL): URL {
    const isSameHost = url.hostname === this.start.hostname && url.port === '' && this.start.port === '';
    if (isSameHost && url.protocol !== this.start.protocol) url.protocol = this.start.protocol;
    return url;
  }

  /** Whether the crawl captures this address. The start is captured whatever the patterns say. */
  admits(url: URL): boolean {
    if (url.href === this.start.href) return true;
    const { include, exclude } = this.rules;
    if (!this.isSame(url)) return false;
    if (include.length > 0 && !include.some((pattern) => matchesWildcard(pattern, url.href))) return false;
    return !exclude.some((pattern) => matchesWildcard(pattern, url.href));
  }

  /** Whether the address is of the host, the site or the folder of the start. */
  isSame(url: URL): boolean {
    const [host, own] = [hostOf(url).toLowerCase(), hostOf(this.start).toLowerCase()];
    if (this.rules.same === 'domain') return siteOf(host) === siteOf(own);
    if (host !== own || portOf(url) !== portOf(this.start)) return false;
    return this.rules.same === 'host' || url.pathname.startsWith(this.prefix);
  }
}
