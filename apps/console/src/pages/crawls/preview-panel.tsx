import { Alert, Stack, Title } from '@mantine/core';
import { CaptureError, type CrawlRecord } from '@capture-service/client';
import { useMemo } from 'react';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { CrawlProgress } from './crawl-progress.js';
import { useCrawl, useCrawlPages } from './crawl-queries.js';
import { pagesIn } from './known-pages.js';
import { PagesPanel } from './pages-panel.js';

interface PreviewPanelProps {
  readonly crawl: CrawlRecord;
  /** Whether the form says something else by now. */
  readonly isOutdated: boolean;
}

/** What a crawl would capture, and what it would leave out and why. */
export function PreviewPanel({ crawl: first, isOutdated }: PreviewPanelProps) {
  const { data: crawl = first } = useCrawl(first.id);
  const { data } = useCrawlPages(crawl);
  const pages = useMemo(() => data && pagesIn(data), [data]);
  return (
    <Stack gap="md" component="section" aria-labelledby="preview">
      <Title order={2} id="preview">
        Preview
      </Title>
      {isOutdated && <Alert color="yellow">The settings have changed since this preview.</Alert>}
      {crawl.error && (
        <ProblemAlert error={CaptureError.ofCapture(crawl.error, crawl.id)} title="Nothing was found" />
      )}
      <CrawlProgress crawl={crawl} batch={undefined} />
      <PagesPanel crawl={crawl} pages={pages} />
    </Stack>
  );
}
