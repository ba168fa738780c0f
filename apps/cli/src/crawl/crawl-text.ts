import type { BrokenPage, CrawlPage, CrawlRecord } from '@capture-service/client';
import { CliError } from '../context/cli-error.js';
import { EXIT, exitCodeOf } from '../context/exit-codes.js';
import { factsOf, tableOf, type Column } from '../terminal/output.js';

/** The columns of a list of pages. */
export const PAGE_COLUMNS: readonly Column<CrawlPage>[] = [
  { title: 'NO', of: ({ number }) => number, right: true },
  { title: 'OUTCOME', of: ({ outcome }) => outcome },
  { title: 'STATUS', of: statusOf },
  { title: 'DEPTH', of: ({ depth }) => depth, right: true },
  { title: 'FOUND BY', of: (page) => page.found_by },
  { title: 'PAGE', of: ({ url }) => url },
];

/** The columns of a list of pages that are not there. */
export const BROKEN_COLUMNS: readonly Column<BrokenPage>[] = [
  { title: 'STATUS', of: statusOf },
  { title: 'PAGE', of: ({ url }) => url },
  { title: 'LINKED FROM', of: referrersOf },
];

/** What the site answered, or why there is no capture. */
function statusOf({ http_status: status, error_code: code }: CrawlPage): string | number | null {
  return code ?? status;
}

function referrersOf({ linked_from: [first, ...others] }: BrokenPage): string | null {
  if (first === undefined) return null;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** `robots 4, duplicate 2,918`: what was left out; undefined if nothing was. */
export function skippedText({ skipped }: CrawlRecord): string | undefined {
  const parts = Object.entries(skipped).filter(([, count]) => count > 0);
  if (parts.length === 0) return undefined;
  return parts.map(([reason, count]) => `${reason} ${count.toLocaleString('en-US')}`).join(', ');
}

/** A crawl as a person reads it. */
export function crawlText(crawl: CrawlRecord): string {
  return factsOf([
    ['id', crawl.id],
    ['status', crawl.status],
    ['start', crawl.url],
    ['batch', crawl.batch_id],
    ['found', `${crawl.discovered} of at most ${crawl.limit}`],
    ['left out', skippedText(crawl)],
    ['delay', crawl.delay_s === 0 ? undefined : `${crawl.delay_s} s`],
    ['error', crawl.error && `${crawl.error.code}: ${crawl.error.detail}`],
    ['created', crawl.created_at],
    ['finished', crawl.finished_at],
  ]);
}

/** Broken links that a summary shows; `capture crawls broken` lists all. */
export const MAX_BROKEN_SHOWN = 20;

/** @param broken one more than is shown, if there are more */
export function brokenText(broken: readonly BrokenPage[], crawlId: string): string {
  const table = tableOf(broken.slice(0, MAX_BROKEN_SHOWN), BROKEN_COLUMNS);
  const more =
    broken.length > MAX_BROKEN_SHOWN ? `\n… and more: \`capture crawls broken ${crawlId} --all\`` : '';
  return `Broken links:\n${table}${more}`;
}

/**
 * Fails a command whose crawl failed, ended its search early, or was canceled.
 *
 * @throws CliError with the error of the crawl
 */
export function requireWhole({ id, status, error }: CrawlRecord): void {
  if (error) {
    throw new CliError(error.detail, {
      exitCode: exitCodeOf(error),
      code: error.code,
      facts: { crawl_id: id },
    });
  }
  if (status !== 'canceled') return;
  throw new CliError(`The crawl ${id} was canceled.`, {
    exitCode: EXIT.failed,
    code: 'job_canceled',
    facts: { crawl_id: id },
  });
}
