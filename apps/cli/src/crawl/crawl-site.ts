import type { CrawlRecord, NewCrawl } from '@capture-service/client';
import { WorkFolder } from '../batch/work-folder.js';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';
import { printList, printRecord } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import type { CrawlFlags } from './crawl-flags.js';
import { CrawlRun } from './crawl-run.js';
import { CRAWL_STATE } from './crawl-state.js';
import { crawlText, PAGE_COLUMNS, requireWhole, skippedText } from './crawl-text.js';

/** `capture crawl <url> -o folder`. */
export async function crawlSite(context: CliContext, request: NewCrawl, flags: CrawlFlags): Promise<void> {
  const { output, dryRun, detach } = flags;
  if (output === '-') throw new CliError('The files of a crawl need a folder: -o <folder>.');
  if (dryRun) {
    if (output !== undefined) throw new CliError('--dry-run captures nothing: it takes no -o.');
    return listAddresses(context, request);
  }
  if (output === undefined) {
    if (!detach) throw new CliError('The files of a crawl need a folder: add -o <folder>, or --detach.');
    const crawl = await started(context, request);
    return printRecord(context, crawl, () => crawlText(crawl));
  }
  const client = context.client();
  const folder = await WorkFolder.open(output, CRAWL_STATE);
  try {
    await new CrawlRun({ context, client, folder, request, flags }).run();
  } finally {
    await folder.close();
  }
}

/** Starts a crawl. Ctrl-C waits for the answer: without the id the crawl could not be canceled. */
async function started(context: CliContext, request: NewCrawl): Promise<CrawlRecord> {
  const { crawls } = context.client();
  const crawl = await crawls.create(request);
  if (context.signal.aborted) await crawls.cancel(crawl.id);
  context.signal.throwIfAborted();
  return crawl;
}

async function listAddresses(context: CliContext, request: NewCrawl): Promise<void> {
  const { crawls } = context.client();
  const { id } = await started(context, request);
  const forget = context.onInterrupt(async () => void (await crawls.cancel(id)));
  const call = { signal: context.signal };
  try {
    const ended = await withProgress(context, 'reading robots.txt and the sitemaps', (progress) =>
      crawls.wait(id, { onProgress: ({ discovered }) => progress.update(`${discovered} addresses`) }, call),
    );
    requireWhole(ended);
    await printList(context, crawls.pages(id, {}, call), PAGE_COLUMNS);
    const skipped = skippedText(ended);
    if (skipped !== undefined) context.stderr.write(`Left out: ${skipped}.\n`);
  } finally {
    forget();
  }
}
