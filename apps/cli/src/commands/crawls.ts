import type { CrawlFile, CrawlPageFilters, CrawlRecord } from '@capture-service/client';
import { Option, type Command } from 'commander';
import { destinationOf, freePathIn } from '../capture/destination.js';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';
import { addCommand, addGroup } from '../context/global-options.js';
import { addCrawlFlags, newCrawl, OWN_OF_PAGES, type CrawlFlags } from '../crawl/crawl-flags.js';
import { crawlSite } from '../crawl/crawl-site.js';
import { BROKEN_COLUMNS, crawlText, PAGE_COLUMNS, requireWhole } from '../crawl/crawl-text.js';
import { givenOptions } from '../options/given-options.js';
import { addCaptureOptions } from '../options/option-flags.js';
import { printList, printRecord, sizeText, write, type Column } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { minuteOf } from '../terminal/record-text.js';
import { addLimitFlags, limited, pageOf, type LimitFlags } from './limit-flags.js';

/** `capture crawl <url>` and `capture crawls …`. */
export function registerCrawls(program: Command, context: CliContext): void {
  const crawl = addCommand(
    program,
    'crawl <url>',
    'capture the pages of a site into a folder; takes all options of a capture',
  );
  addCaptureOptions(addCrawlFlags(crawl), OWN_OF_PAGES).action(async (url: string, flags: CrawlFlags) =>
    crawlSite(context, newCrawl(url, flags, await givenOptions(context, crawl)), flags),
  );
  const crawls = addGroup(program, 'crawls', 'crawls of sites: `capture crawl <url> -o folder` starts them');
  registerList(crawls, context);
  addCommand(crawls, 'get <id>', 'the record of a crawl').action(async (id: string) =>
    print(context, await context.client().crawls.get(id, { signal: context.signal })),
  );
  addCommand(crawls, 'wait <id>', 'wait until a crawl has ended; fails if its search did').action(
    async (id: string) => waitFor(context, id),
  );
  registerPages(crawls, context);
  registerDownload(crawls, context);
  addCommand(crawls, 'cancel <id>', 'end the search, and cancel the captures that have not ended').action(
    async (id: string) =>
      print(context, await context.client().crawls.cancel(id, { signal: context.signal })),
  );
}

const print = (context: CliContext, crawl: CrawlRecord): Promise<void> =>
  printRecord(context, crawl, () => crawlText(crawl));

const STATUSES = ['discovering', 'capturing', 'completed', 'canceled', 'failed'] as const;

const COLUMNS: readonly Column<CrawlRecord>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'CREATED', of: (crawl) => minuteOf(crawl.created_at) },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'PAGES', of: ({ discovered }) => discovered, right: true },
  { title: 'START', of: ({ url }) => url },
];

interface ListFlags extends LimitFlags {
  readonly status?: CrawlRecord['status'];
}

function registerList(crawls: Command, context: CliContext): void {
  const list = addCommand(crawls, 'list', 'crawls, newest first').addOption(
    new Option('--status <status>', 'only crawls of this status').choices(STATUSES),
  );
  addLimitFlags(list).action((flags: ListFlags) => {
    const filters = { limit: pageOf(flags), ...(flags.status && { status: flags.status }) };
    const records = context.client().crawls.list(filters, { signal: context.signal });
    return printList(context, limited(records, flags), COLUMNS);
  });
}

interface PageFlags extends LimitFlags {
  readonly outcome?: CrawlPageFilters['outcome'];
}

function registerPages(crawls: Command, context: CliContext): void {
  const pages = addCommand(crawls, 'pages <id>', 'the pages of a crawl, also while it runs').addOption(
    new Option('--outcome <outcome>', 'only pages with this outcome').choices([
      ...['ok', 'broken', 'canceled', 'pending'],
    ]),
  );
  addLimitFlags(pages).action((id: string, flags: PageFlags) => {
    const filters = { limit: pageOf(flags), ...(flags.outcome && { outcome: flags.outcome }) };
    const found = context.client().crawls.pages(id, filters, { signal: context.signal });
    return printList(context, limited(found, flags), PAGE_COLUMNS);
  });
  const broken = addCommand(crawls, 'broken <id>', 'the broken links, and the pages that have them');
  addLimitFlags(broken).action((id: string, flags: LimitFlags) => {
    const found = context.client().crawls.broken(id, { signal: context.signal });
    return printList(context, limited(found, flags), BROKEN_COLUMNS);
  });
}

const EXTENSIONS = { zip: 'zip', markdown: 'md', sitemap: 'xml' } as const satisfies Record<
  CrawlFile,
  string
>;

interface DownloadFlags {
  readonly output?: string;
  readonly as: CrawlFile;
}

function registerDownload(crawls: Command, context: CliContext): void {
  addCommand(crawls, 'download <id>', 'write what a crawl has captured as one file')
    .option('-o, --output <path>', 'file, folder, or - for standard output')
    .addOption(
      new Option('--as <kind>', 'all files, one document of all pages, or a sitemap (default: zip)')
        .choices(Object.keys(EXTENSIONS))
        .default('zip'),
    )
    .action(async (id: string, { output, as }: DownloadFlags) => {
      const { crawls: api } = context.client();
      const settings = { as, signal: context.signal };
      if (output !== '-') {
        const path = await pathOf(output, `crawl-${id}.${EXTENSIONS[as]}`);
        const download = (): Promise<{ readonly size: number }> => api.downloadToPath(id, path, settings);
        const { size } = await withProgress(context, `writing ${path}`, download);
        await write(context, `${context.isTTY ? `${path}  ${sizeText(size)}` : path}\n`);
      } else if (as === 'zip') {
        throw new CliError('The archive may be larger than the memory: -o takes a file, such as all.zip.');
      } else await write(context, (await api.download(id, settings)).bytes);
    });
}

async function pathOf(output: string | undefined, name: string): Promise<string> {
  const destination = await destinationOf(output);
  return destination.kind === 'file' ? destination.file : freePathIn(output ?? './', name);
}

async function waitFor(context: CliContext, id: string): Promise<void> {
  const ended = await withProgress(context, `crawl ${id}`, (progress) =>
    context.client().crawls.wait(
      id,
      {
        onProgress: ({ discovered, status }) =>
          progress.update(`crawl ${id}: ${discovered} pages, ${status}`),
      },
      { signal: context.signal },
    ),
  );
  await print(context, ended);
  requireWhole(ended);
}
