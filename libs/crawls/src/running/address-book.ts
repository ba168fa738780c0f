import { keyOf, normalise } from '../addresses/normalise.js';
import { isGenerated, isRunaway, patternOf } from '../addresses/pattern.js';
import { Scope } from '../addresses/scope.js';
import type { Crawl } from '../crawl.entity.js';

/** Addresses of which one step of a crawl keeps what it knows: the pages of a site have most of their links in common. */
const MAX_KNOWN = 20_000;

/** What follows from an address and the rules of a crawl. */
export interface Address {
  readonly href: string;
  readonly origin: string;
  readonly key: Buffer;
  readonly pattern: string;
  readonly isGenerated: boolean;
  readonly isRunaway: boolean;
  /** Whether the scope and the patterns of the crawl admit it. */
  readonly isAdmitted: boolean;
  /** Whether robots.txt allows it, once that was asked. */
  isAllowed?: boolean;
}

/** The addresses that a step of a crawl comes across, each worked out once. */
export class AddressBook {
  private readonly scope: Scope;
  private readonly known = new Map<string, Address | null>();

  constructor({ url, rules }: Pick<Crawl, 'url' | 'rules'>) {
    this.scope = new Scope(new URL(url), rules);
  }

  /** Null for what is no address of the web. */
  find(text: string): Address | null {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const found = normalise(text);
    const address = found && this.addressOf(this.scope.align(found));
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(text, address);
    return address;
  }

  private addressOf(url: URL): Address {
    const { href, origin } = url;
    const isAdmitted = this.scope.admits(url);
    return {
      href,
      origin,
      isAdmitted,
      isRunaway: isRunaway(url),
      isGenerated: isGenerated(url),
      key: isAdmitted ? keyOf(href) : NO_KEY,
      pattern: isAdmitted ? patternOf(url) : '',
    };
  }
}

/** An address that the crawl does not admit is never looked up. */
const NO_KEY = Buffer.alloc(0);
