import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { RobotsService } from '../discovery/robots.service.js';
import { SitemapsService } from '../discovery/sitemaps.service.js';
import { CandidatesService, type Finding } from './candidates.service.js';
import { CrawlLeaseRepository, type LeasedCrawl } from './crawl-lease.repository.js';
import { FrontierService } from './frontier.service.js';

/** Finds the first addresses of a crawl: its start, and those of the sitemaps. */
@Injectable()
export class DiscoveryService {
  constructor(
    private readonly database: DatabaseService,
    private readonly leases: CrawlLeaseRepository,
    private readonly frontier: FrontierService,
    private readonly candidates: CandidatesService,
    private readonly robots: RobotsService,
    private readonly sitemaps: SitemapsService,
  ) {}

  /** Reads robots.txt and adds the start, unless only a sitemap says what is captured. */
  async begin(crawl: LeasedCrawl, signal: AbortSignal): Promise<void> {
    const { url, rules } = crawl;
    const robots = await this.robots.rulesOf(crawl, new URL(url).origin, signal);
    const start: Finding = { url, depth: 0, foundBy: 'start', foundOn: null };
    const sifted = await this.candidates.sift(crawl, rules.source === 'sitemap' ? [] : [start], signal);
    await this.database.transaction(async (transaction) => {
      const held = await this.leases.hold(transaction, crawl);
      await this.frontier.add(transaction, held, { ...sifted, delayS: robots?.delayS ?? 0 });
      const stage = rules.source === 'links' ? 'links' : 'sitemaps';
      await this.leases.change(transaction, crawl, {
        stage,
        sitemaps: [...(robots?.sitemaps ?? [])].slice(0, 100),
      });
    });
  }

  /** Adds what the sitemaps name. When it is interrupted, it begins again, and the addresses are known. */
  async readSitemaps(crawl: LeasedCrawl, signal: AbortSignal): Promise<void> {
    const { url, rules, sitemaps } = crawl;
    const starts = sitemaps.length > 0 ? sitemaps : [new URL('/sitemap.xml', url).href];
    await this.sitemaps.read(starts, (urls) => this.addListed(crawl, urls, signal), { crawl, signal });
    signal.throwIfAborted();
    await this.database.transaction(async (transaction) => {
      const held = await this.leases.hold(transaction, crawl);
      const isFound = rules.source === 'sitemap' && held.state === 'discovering';
      await this.leases.change(transaction, crawl, {
        stage: 'links',
        ...(isFound && { state: 'capturing' }),
      });
    });
  }

  /** Returns whether the crawl wants more. */
  private async addListed(
    crawl: LeasedCrawl,
    urls: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const findings = urls.map((url): Finding => ({ url, depth: 1, foundBy: 'sitemap', foundOn: null }));
    const sifted = await this.candidates.sift(crawl, findings, signal);
    return this.database.transaction(async (transaction) => {
      const held = await this.leases.hold(transaction, crawl);
      await this.frontier.add(transaction, held, sifted);
      const { discovered } = await this.leases.hold(transaction, crawl);
      return discovered < crawl.rules.limit;
    });
  }
}
