import { Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { BatchRecord, CrawlRecord } from '@capture-service/client';
import { count, duration, time } from '../../ui/format.js';
import { Figure } from '../../ui/figure.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { useNow } from '../../ui/use-now.js';
import { BatchBar } from '../batches/batch-bar.js';
import { endedRows } from '../batches/batch-counts.js';
import { elapsedMs } from '../batches/progress/pace.js';
import { isOver, skippedOf, skippedTotal, waitsUntil } from './crawl-text.js';
import classes from './crawls.module.css';

const RENEWED_MS = 1_000;
/** Progress is announced in steps of so many pages, so that a screen reader is not kept talking. */
const ANNOUNCED_PAGES = 25;

interface CrawlProgressProps {
  readonly crawl: CrawlRecord;
  readonly batch: BatchRecord | undefined;
}

/** What the crawl has found, captured and left out so far. */
export function CrawlProgress({ crawl, batch }: CrawlProgressProps) {
  const { discovered, status } = crawl;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group gap="sm">
          <StatusBadge status={status} />
          <Doing crawl={crawl} />
        </Group>
        {batch && (
          <BatchBar
            batch={{ ...batch, total: Math.max(discovered, batch.total) }}
            size={8}
            label="Pages whose capture has ended"
          />
        )}
        <Figures crawl={crawl} batch={batch} />
        <Skipped crawl={crawl} />
        <VisuallyHidden role="status" aria-live="polite">
          {announcementOf(crawl, batch)}
        </VisuallyHidden>
      </Stack>
    </Paper>
  );
}

function Figures({ crawl, batch }: CrawlProgressProps) {
  const now = useNow(RENEWED_MS);
  const { discovered, created_at: from, finished_at: to } = crawl;
  const elapsed = elapsedMs({ started_at: from, finished_at: to }, now);
  return (
    <div className={classes.figures}>
      <Figure label={crawl.dry_run ? 'Would be captured' : 'Found'} value={count(discovered)} />
      {batch && <Figure label="Captured" value={count(batch.counts.succeeded)} />}
      {batch && <Figure label="Failed" value={count(batch.counts.failed)} />}
      <Figure label="Skipped" value={count(skippedTotal(crawl))} />
      {batch && <Figure label="Elapsed" value={elapsed === null ? '–' : duration(elapsed)} />}
    </div>
  );
}

function Doing({ crawl }: { readonly crawl: CrawlRecord }) {
  const until = waitsUntil(crawl, useNow(RENEWED_MS));
  return (
    <Text>
      {doingOf(crawl)}
      {until !== null && ` The site asks to wait until ${time(until)}.`}
    </Text>
  );
}

function doingOf(crawl: CrawlRecord): string {
  const { status, delay_s: delay, dry_run: isPreview } = crawl;
  if (isOver(crawl)) return '';
  if (isPreview) return 'Reads robots.txt and the sitemaps.';
  const doing = status === 'discovering' ? 'Looks for pages and captures them.' : 'Captures what was found.';
  return delay > 0 ? `${doing} The site asks for ${count(delay)} s between two visits.` : doing;
}

/** What was left out, with the reasons. */
function Skipped({ crawl }: { readonly crawl: CrawlRecord }) {
  const skipped = skippedOf(crawl);
  if (skipped.length === 0) return null;
  return (
    <ul className={classes.skipped} aria-label="Left out, by reason">
      {skipped.map(({ reason, count: many }) => (
        <li key={reason}>
          <Text span className="numeric" fw={500}>
            {count(many)}
          </Text>
          <Text c="dimmed" span ml={6}>
            {reason}
          </Text>
        </li>
      ))}
    </ul>
  );
}

function announcementOf(crawl: CrawlRecord, batch: BatchRecord | undefined): string {
  const { discovered, status } = crawl;
  if (isOver(crawl)) return `The crawl is ${status}: ${discovered} pages.`;
  const ended = batch ? endedRows(batch) : discovered;
  const step = Math.floor(ended / ANNOUNCED_PAGES) * ANNOUNCED_PAGES;
  return `${step} pages have ended.`;
}
