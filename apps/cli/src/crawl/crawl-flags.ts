import type { NewCrawl } from '@capture-service/client';
import { Option, type Command } from 'commander';
import { DEFAULT_PARALLEL, parallelFlag } from '../batch/list-flags.js';
import type { GivenOptions } from '../options/given-options.js';
import { wholeNumber } from '../options/option-values.js';

/** The flags of `capture crawl` besides the options of a capture. */
export interface CrawlFlags {
  readonly output?: string;
  readonly source?: NewCrawl['source'];
  readonly limit?: number;
  readonly maxDepth?: number;
  readonly limitPerPattern?: number;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly same?: NewCrawl['same'];
  readonly robots?: NewCrawl['robots'];
  readonly dryRun?: boolean;
  readonly webhookUrl?: string;
  readonly detach?: boolean;
  readonly restart?: boolean;
  readonly cancelOnInterrupt?: boolean;
  readonly parallel: number;
}

/** Options of a capture that each page of a crawl has for itself, or that the crawl sets. */
export const OWN_OF_PAGES = [
  ...['url', 'html', 'base_url', 'reference', 'metadata'],
  ...['compare_with', 'compare_confirms', 'response', 'filename'],
];

const several = (text: string, previous: readonly string[] = []): string[] => [...previous, text];

/** The service checks the values, and has the defaults. */
export function addCrawlFlags(command: Command): Command {
  return command
    .option('-o, --output <path>', 'folder of the files')
    .addOption(
      new Option('--source <source>', 'where addresses come from (default: both)').choices([
        ...['sitemap', 'links', 'both'],
      ]),
    )
    .option('--limit <n>', 'pages at most (default: 500)', wholeNumber)
    .option('--max-depth <n>', 'links from the start at most (default: 10)', wholeNumber)
    .option('--include <pattern>', 'only addresses like */guide/*; may be repeated', several)
    .option('--exclude <pattern>', 'no addresses like *?sort=*; may be repeated', several)
    .addOption(
      new Option('--same <part>', 'what addresses have in common with the start (default: host)').choices([
        ...['host', 'domain', 'prefix'],
      ]),
    )
    .option(
      '--limit-per-pattern <n>',
      'pages at most whose addresses differ in digits or parameters alone (default: 200)',
      wholeNumber,
    )
    .addOption(
      new Option('--robots <rule>', 'ignore robots.txt, if the operator allows it').choices([
        ...['obey', 'ignore'],
      ]),
    )
    .option('--dry-run', 'list the addresses of robots.txt and the sitemaps, and capture nothing')
    .option('--webhook-url <url>', 'URL that is notified when the crawl has ended')
    .option('--detach', 'start the crawl and return; the same command without it fetches the files')
    .option('--restart', 'begin a new crawl, although the folder has one')
    .option('--cancel-on-interrupt', 'cancel the crawl on Ctrl-C; otherwise it goes on at the service')
    .addOption(parallelFlag().default(DEFAULT_PARALLEL));
}

/** The request for a crawl. */
export function newCrawl(url: string, flags: CrawlFlags, defaults: GivenOptions): NewCrawl {
  const { source, limit, maxDepth, limitPerPattern, include, exclude, same, robots, dryRun, webhookUrl } =
    flags;
  return {
    url,
    ...(source && { source }),
    ...(limit !== undefined && { limit }),
    ...(maxDepth !== undefined && { max_depth: maxDepth }),
    ...(limitPerPattern !== undefined && { limit_per_pattern: limitPerPattern }),
    ...(include && { include: [...include] }),
    ...(exclude && { exclude: [...exclude] }),
    ...(same && { same }),
    ...(robots && { robots }),
    ...(dryRun && { dry_run: true }),
    ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
  };
}
