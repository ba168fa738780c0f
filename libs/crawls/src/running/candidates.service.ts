import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { addSkipped, NONE_SKIPPED, type FoundBy, type SkipReason, type Skipped } from '../crawl-state.js';
import type { Crawl } from '../crawl.entity.js';
import { RobotsService, type RobotsRules } from '../discovery/robots.service.js';
import { AddressBook, type Address } from './address-book.js';

/** Addresses that are checked before other work gets the event loop: robots.txt may have thousands of rules. */
const AT_ONCE = 50;

/** An address as it was found. */
export interface Finding {
  readonly url: string;
  readonly depth: number;
  readonly foundBy: FoundBy;
  /** The number of the page that links to it. */
  readonly foundOn: number | null;
  /** The page asks crawlers not to follow this link. */
  readonly isNoFollow?: boolean;
  /** The page is a copy of one of the crawl, whose links are followed instead. */
  readonly isOfCopy?: boolean;
}

/** An address that belongs to the crawl, unless it knows it already or has enough. */
export interface Candidate extends Finding {
  readonly key: Buffer;
  readonly pattern: string;
  /** Whether other addresses can have the same pattern. */
  readonly isGenerated: boolean;
}

/** What the rules of a crawl leave of some findings. */
export interface Sifted {
  readonly candidates: readonly Candidate[];
  readonly skipped: Skipped;
  /** The longest delay that robots.txt of their origins asks for, in seconds. */
  readonly delayS: number;
}

/** What several pages have led to. */
export function joinSifted(all: readonly Sifted[]): Sifted {
  return {
    candidates: all.flatMap(({ candidates }) => candidates),
    skipped: all.map(({ skipped }) => skipped).reduce(addSkipped, NONE_SKIPPED),
    delayS: Math.max(0, ...all.map(({ delayS }) => delayS)),
  };
}

/** Sifts addresses by all rules that need no look at the pages of the crawl. */
@Injectable()
export class CandidatesService {
  /** The addresses of the steps in progress, by the crawl that each of them has read. */
  private readonly addresses = new WeakMap<Crawl, AddressBook>();

  constructor(private readonly robots: RobotsService) {}

  async sift(crawl: Crawl, findings: Iterable<Finding>, signal: AbortSignal): Promise<Sifted> {
    const addresses = this.addressesOf(crawl);
    const origins = new Map<string, RobotsRules | null>();
    const skipped: Record<SkipReason, number> = { ...NONE_SKIPPED };
    const candidates: Candidate[] = [];
    let count = 0;
    for (const finding of findings) {
      if (++count % AT_ONCE === 0) await setImmediate();
      const address = addresses.find(finding.url);
      // What is no address of the web, such as `mailto:`, is not left out of anything.
      if (!address) continue;
      const reason = reasonWithoutRobots(crawl, address, finding);
      const { origin } = address;
      const robots = reason ? undefined : await this.rulesOf(crawl, origins, { origin, signal });
      const refused = reason ?? refusalOf(robots, address);
      if (refused) skipped[refused] += 1;
      else candidates.push(toCandidate(finding, address));
    }
    const delays = [...origins.values()].map((rules) => rules?.delayS ?? 0);
    return { candidates, skipped, delayS: Math.max(0, ...delays) };
  }

  private addressesOf(crawl: Crawl): AddressBook {
    const known = this.addresses.get(crawl);
    if (known) return known;
    const addresses = new AddressBook(crawl);
    this.addresses.set(crawl, addresses);
    return addresses;
  }

  private async rulesOf(
    crawl: Crawl,
    origins: Map<string, RobotsRules | null>,
    { origin, signal }: { readonly origin: string; readonly signal: AbortSignal },
  ): Promise<RobotsRules | null> {
    const known = origins.get(origin);
    if (known !== undefined) return known;
    const rules = await this.robots.rulesOf(crawl, origin, signal);
    origins.set(origin, rules);
    return rules;
  }
}

function reasonWithoutRobots(
  { rules }: Crawl,
  { isAdmitted, isRunaway }: Address,
  { depth, isNoFollow, foundBy }: Finding,
): SkipReason | undefined {
  if (!isAdmitted) return 'filter';
  if (isNoFollow === true && rules.robots === 'obey') return 'robots';
  if (depth > rules.max_depth) return 'depth';
  return foundBy === 'link' && isRunaway ? 'limit' : undefined;
}

/** Null stands for an origin beyond those that a crawl may have. */
function refusalOf(rules: RobotsRules | null | undefined, address: Address): SkipReason | undefined {
  if (!rules) return 'limit';
  address.isAllowed ??= rules.allows(address.href);
  return address.isAllowed ? undefined : 'robots';
}

function toCandidate(finding: Finding, { href: url, key, pattern, isGenerated }: Address): Candidate {
  return { ...finding, url, key, pattern, isGenerated };
}
