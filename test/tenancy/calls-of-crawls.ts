import { RowOutcomeRepository } from '../../libs/jobs/src/batches/row-outcome.repository.js';
import { CrawlPageRepository } from '../../libs/crawls/src/crawl-page.repository.js';
import type { CrawlRules } from '../../libs/crawls/src/crawl-rules.js';
import { CrawlRepository } from '../../libs/crawls/src/crawl.repository.js';
import { RobotsRepository } from '../../libs/crawls/src/discovery/robots.repository.js';
import {
  CrawlLeaseRepository,
  type LeasedCrawl,
} from '../../libs/crawls/src/running/crawl-lease.repository.js';
import { FrontierRepository, type ReadPage } from '../../libs/crawls/src/running/frontier.repository.js';
import { allRows, callsOf, guarded, ownRows } from './calls.js';
import { hash, type Owned } from './owned-rows.js';

const UPKEEP = 'Workers go on with the crawls of all accounts.';
const PAGE = { limit: 10, cursor: undefined };
const PAGES = { after: 0, limit: 10 };
const RULES: CrawlRules = {
  source: 'links',
  same: 'host',
  limit: 1,
  max_depth: 1,
  limit_per_pattern: 1,
  include: [],
  exclude: [],
  robots: 'obey',
  dry_run: true,
};
const leasedOf = ({ crawls }: Owned) => ({ id: crawls.open, lease: crawls.lease }) as LeasedCrawl;
const newPageOf = ({ unused }: Owned) => ({
  key: hash(unused),
  number: 9,
  url: 'https://a.test/9',
  pattern: 'a.test/0',
  depth: 1,
  ...({ foundBy: 'link', foundOn: 1, state: 'found' } as const),
});
const READ: ReadPage = {
  number: 2,
  jobId: null,
  outcome: 'ok',
  httpStatus: 200,
  errorCode: null,
  title: null,
  isListed: true,
  links: [1],
};

export const CALLS_OF_CRAWLS = [
  callsOf(RowOutcomeRepository, {
    listEnded: ownRows((rows, { batches: { ended } }) => rows.listEnded(ended, [1, 2, 3])),
  }),
  callsOf(CrawlRepository, {
    add: ownRows((crawls, { accountId, unused }, transaction) =>
      crawls.add(transaction, {
        id: unused,
        accountId,
        batchId: null,
        url: 'https://a.test/',
        rules: RULES,
        defaults: null,
      }),
    ),
    countOpen: ownRows((crawls, { accountId }, transaction) => crawls.countOpen(transaction, accountId)),
    deleteAllOf: ownRows((crawls, { accountId }) => crawls.deleteAllOf(accountId)),
    find: guarded((repository, { accountId, crawls }) => repository.find(accountId, crawls.open)),
    list: ownRows((crawls, { accountId }) => crawls.list(accountId, {}, PAGE)),
    end: ownRows((repository, { crawls }, transaction) =>
      repository.end(transaction, crawls.open, { state: 'canceled' }),
    ),
    purge: allRows('The upkeep deletes old crawls of all accounts.'),
  }),
  callsOf(CrawlPageRepository, {
    list: ownRows((pages, { crawls }) => pages.list(crawls.open, PAGES)),
    listBroken: ownRows((pages, { crawls }) => pages.listBroken(crawls.open, PAGES)),
    listUrls: ownRows((pages, { crawls }) => pages.listUrls(crawls.open, [1, 2])),
  }),
  callsOf(CrawlLeaseRepository, {
    claim: allRows(UPKEEP),
    hold: ownRows((leases, owned, transaction) => leases.hold(transaction, leasedOf(owned))),
    change: ownRows((leases, { crawls }, transaction) =>
      leases.change(transaction, { id: crawls.open }, { discovered: 7 }),
    ),
    pause: ownRows((leases, { crawls }, transaction) => leases.pause(transaction, { id: crawls.open }, 60)),
    release: ownRows((leases, owned) => leases.release(leasedOf(owned), 60_000)),
  }),
  callsOf(FrontierRepository, {
    listKnown: ownRows((pages, { crawls }, transaction) =>
      pages.listKnown(transaction, crawls.open, [hash('page 1')]),
    ),
    countPatterns: ownRows((pages, { crawls }, transaction) =>
      pages.countPatterns(transaction, crawls.open, ['a.test/0']),
    ),
    lastNumber: ownRows((pages, { crawls }, transaction) => pages.lastNumber(transaction, crawls.open)),
    add: ownRows((pages, owned, transaction) =>
      pages.add(transaction, owned.crawls.open, [newPageOf(owned)]),
    ),
    listOpen: ownRows((pages, { crawls }) => pages.listOpen(crawls.open, 'found', 10)),
    markTaken: ownRows((pages, { crawls }, transaction) => pages.markTaken(transaction, crawls.open, [3])),
    putBack: ownRows((pages, { crawls }, transaction) =>
      pages.putBack(transaction, crawls.open, [{ number: 2, row: 9 }]),
    ),
    finish: ownRows((pages, { crawls }, transaction) => pages.finish(transaction, crawls.open, [READ])),
    dropFound: ownRows((pages, { crawls }, transaction) => pages.dropFound(transaction, crawls.open)),
  }),
  callsOf(RobotsRepository, {
    find: ownRows((robots, { crawls }) => robots.find(crawls.open, 'https://a.test')),
    count: ownRows((robots, { crawls }) => robots.count(crawls.open)),
    add: ownRows((robots, { crawls }) => robots.add(crawls.open, 'https://b.a.test', 'User-agent: *')),
  }),
];
