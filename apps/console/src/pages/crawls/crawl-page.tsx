import { Skeleton, Stack } from '@mantine/core';
import { CaptureError, type BatchRecord, type CrawlRecord } from '@capture-service/client';
import { useMemo, useState } from 'react';
import { useParams } from 'wouter';
import { shortUrl } from '../../ui/format.js';
import { BackLink } from '../../ui/back-link.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { BatchLinks } from '../batches/progress/batch-links.js';
import { useBatch } from '../batches/progress/use-batch.js';
import { BrokenPanel } from './broken-panel.js';
import { CrawlActions } from './crawl-actions.js';
import { CrawlFacts } from './crawl-facts.js';
import { CrawlProgress } from './crawl-progress.js';
import { useCrawl, useCrawlPages } from './crawl-queries.js';
import { pagesIn } from './known-pages.js';
import { PagesPanel } from './pages-panel.js';

/** One crawl: how far it is, the tree of its paths, and what is broken. */
export default function CrawlPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error, refetch } = useCrawl(id);
  if (data)
    return data.batch_id === null ? (
      <CrawlView crawl={data} />
    ) : (
      <WithBatch crawl={data} id={data.batch_id} />
    );
  return (
    <Stack gap="md">
      <BackLink href="/crawls">Crawls</BackLink>
      <PageHeader title="Crawl" />
      {error ? (
        <ProblemAlert error={error} title="The crawl cannot be shown" onRetry={() => void refetch()} />
      ) : (
        <Skeleton h="24rem" role="status" aria-label="Loading" />
      )}
    </Stack>
  );
}

function WithBatch({ crawl, id }: { readonly crawl: CrawlRecord; readonly id: string }) {
  const { data } = useBatch(id);
  return <CrawlView crawl={crawl} batch={data} />;
}

interface CrawlViewProps {
  readonly crawl: CrawlRecord;
  /** Undefined for a preview, and until it is known. */
  readonly batch?: BatchRecord | undefined;
}

function CrawlView({ crawl, batch }: CrawlViewProps) {
  const { data, error, refetch } = useCrawlPages(crawl);
  const pages = useMemo(() => data && pagesIn(data), [data]);
  const [failure, setFailure] = useState<unknown>(null);
  return (
    <Stack gap="md">
      <BackLink href="/crawls">Crawls</BackLink>
      <PageHeader title={shortUrl(crawl.url)} description={crawl.dry_run ? PREVIEW : undefined}>
        <CrawlActions crawl={crawl} batch={batch} onFailure={setFailure} />
      </PageHeader>
      {failure !== null && <ProblemAlert error={failure} title="The failed pages were not submitted again" />}
      {crawl.error && (
        <ProblemAlert error={CaptureError.ofCapture(crawl.error, crawl.id)} title={titleOf(crawl)} />
      )}
      {batch && <BatchLinks batch={batch} />}
      <CrawlProgress crawl={crawl} batch={batch} />
      {error && !pages && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      <PagesPanel crawl={crawl} pages={pages} />
      {pages && <BrokenPanel id={crawl.id} pages={pages} />}
      <CrawlFacts crawl={crawl} />
    </Stack>
  );
}

const PREVIEW = 'A preview of what a crawl would capture. Nothing was captured.';

function titleOf({ status }: CrawlRecord): string {
  return status === 'failed' ? 'Nothing was found' : 'The search ended early';
}
