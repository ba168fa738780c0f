import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { addSkipped, NONE_SKIPPED, type SkipReason } from '../crawl-state.js';
import type { CrawlChange } from '../crawl.repository.js';
import type { Candidate, Sifted } from './candidates.service.js';
import type { LeasedCrawl } from './crawl-lease.repository.js';
import { CrawlLeaseRepository } from './crawl-lease.repository.js';
import { FrontierRepository, type NewPage } from './frontier.repository.js';

/** Longer delays would make a crawl of a thousand pages last for days; the operator of the site can forbid it instead. */
const MAX_DELAY_S = 60;

/** Adds addresses to a crawl, as many as its limits allow. */
@Injectable()
export class FrontierService {
  constructor(
    private readonly leases: CrawlLeaseRepository,
    private readonly pages: FrontierRepository,
  ) {}

  /**
   * Stores the addresses that the crawl does not know, in the transaction that holds it.
   *
   * @returns the numbers of all pages among the candidates, by their keys in hex
   */
  async add(
    transaction: Transaction,
    crawl: LeasedCrawl,
    { candidates, skipped, delayS }: Sifted,
  ): Promise<ReadonlyMap<string, number>> {
    const unique = firstOfEach(candidates);
    const keys = [...unique.values()].map(({ key }) => key);
    const known = await this.pages.listKnown(transaction, crawl.id, keys);
    const fresh = [...unique].flatMap(([key, each]) => {
      return known.has(key) || each.isOfCopy === true ? [] : [each];
    });
    const room = await this.roomFor(transaction, crawl, fresh);
    const added = await this.store(transaction, crawl, room.accepted);
    for (const { key, number } of added) known.set(key.toString('hex'), number);
    const more = { ...NONE_SKIPPED, duplicate: candidates.length - fresh.length, limit: room.refused };
    const discovered = crawl.discovered + added.length;
    await this.leases.change(transaction, crawl, {
      discovered,
      skipped: addSkipped(crawl.skipped, addSkipped(skipped, more)),
      delayS: Math.min(MAX_DELAY_S, Math.max(crawl.delayS, delayS)),
      ...stateAt(crawl, discovered),
    });
    return known;
  }

  /** The address at which a redirect ended: it is the same page, so that it is not captured again. */
  async addAlias(
    transaction: Transaction,
    crawl: LeasedCrawl,
    alias: Omit<Candidate, 'isGenerated'>,
  ): Promise<void> {
    const known = await this.pages.listKnown(transaction, crawl.id, [alias.key]);
    if (known.size > 0) return;
    const number = (await this.pages.lastNumber(transaction, crawl.id)) + 1;
    await this.pages.add(transaction, crawl.id, [{ ...alias, number, state: 'alias' }]);
  }

  private async roomFor(
    transaction: Transaction,
    { id, rules, discovered, error }: LeasedCrawl,
    fresh: readonly Candidate[],
  ): Promise<{ readonly accepted: readonly Candidate[]; readonly refused: number }> {
    // A crawl with an error takes no more pages: the allowance of the account is at its end.
    const room = error ? 0 : Math.max(0, rules.limit - discovered);
    const bounded = fresh.filter(isBounded).map(({ pattern }) => pattern);
    const counts =
      bounded.length === 0
        ? new Map<string, number>()
        : await this.pages.countPatterns(transaction, id, bounded);
    const accepted: Candidate[] = [];
    for (const each of fresh) {
      if (accepted.length === room) break;
      const count = counts.get(each.pattern) ?? 0;
      if (isBounded(each) && count >= rules.limit_per_pattern) continue;
      counts.set(each.pattern, count + 1);
      accepted.push(each);
    }
    return { accepted, refused: fresh.length - accepted.length };
  }

  private async store(
    transaction: Transaction,
    { id }: LeasedCrawl,
    accepted: readonly Candidate[],
  ): Promise<readonly NewPage[]> {
    if (accepted.length === 0) return [];
    const last = await this.pages.lastNumber(transaction, id);
    const pages = accepted.map(({ key, url, pattern, depth, foundBy, foundOn }, i): NewPage => {
      return { key, url, pattern, depth, foundBy, foundOn, number: last + i + 1, state: 'found' };
    });
    await this.pages.add(transaction, id, pages);
    return pages;
  }
}

/** The candidates by their keys in hex. One that a copy of a page leads to is replaced by one that another page leads to. */
function firstOfEach(candidates: readonly Candidate[]): Map<string, Candidate> {
  const unique = new Map<string, Candidate>();
  for (const each of candidates) {
    const key = each.key.toString('hex');
    const before = unique.get(key);
    if (before === undefined || before.isOfCopy === true) unique.set(key, each);
  }
  return unique;
}

/** What a sitemap names is no accident. */
function isBounded({ foundBy, isGenerated }: Candidate): boolean {
  return foundBy === 'link' && isGenerated;
}

function stateAt({ state, rules }: LeasedCrawl, discovered: number): CrawlChange {
  return state === 'discovering' && discovered >= rules.limit ? { state: 'capturing' } : {};
}

/** Skips of one reason. */
export function skippedFor(reason: SkipReason, count: number): Sifted['skipped'] {
  return { ...NONE_SKIPPED, [reason]: count };
}
