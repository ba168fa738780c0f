import { Button, Menu, Text } from '@mantine/core';
import type { BatchRecord, CrawlRecord } from '@capture-service/client';
import { Link } from 'wouter';
import { useApi } from '../../api/client.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DownloadMenu } from '../../ui/download-menu.js';
import { retryableRows } from '../batches/batch-counts.js';
import { RetryButton } from '../batches/progress/batch-actions.js';
import { useCancellation } from './crawl-queries.js';
import { isOver } from './crawl-text.js';

interface CrawlActionsProps {
  readonly crawl: CrawlRecord;
  readonly batch: BatchRecord | undefined;
  readonly onFailure: (error: unknown) => void;
}

/** What can be done with a crawl. */
export function CrawlActions({ crawl, batch, onFailure }: CrawlActionsProps) {
  const hasEnded = isOver(crawl);
  return (
    <>
      {!hasEnded && <StopButton id={crawl.id} />}
      {hasEnded && batch && retryableRows(batch) > 0 && (
        <RetryButton batch={batch} onFailure={onFailure} thing="page" />
      )}
      {hasEnded && (
        <Button component={Link} variant="default" href={`/crawls/new?again=${crawl.id}`}>
          {crawl.dry_run ? 'Crawl these pages' : 'Crawl again'}
        </Button>
      )}
      {!crawl.dry_run && <CrawlFiles id={crawl.id} />}
    </>
  );
}

function StopButton({ id }: { readonly id: string }) {
  const { mutateAsync, isPending, error, reset } = useCancellation(id);
  return (
    <ConfirmButton
      label="Stop the crawl"
      title="Stop this crawl?"
      onConfirm={mutateAsync}
      isPending={isPending}
      error={error}
      onOpen={reset}
    >
      <Text>
        Nothing more is looked for, and the captures that have not ended are canceled. What has been captured
        stays.
      </Text>
    </ConfirmButton>
  );
}

const DOWNLOADS = [
  { as: 'zip', label: 'All files as ZIP', help: 'with names made of the paths' },
  { as: 'markdown', label: 'One Markdown document', help: 'of the pages that were captured as Markdown' },
  { as: 'sitemap', label: 'Sitemap', help: 'of the pages that exist' },
] as const;

/** What has been captured so far, as one file. */
function CrawlFiles({ id }: { readonly id: string }) {
  const { urlOf } = useApi();
  return (
    <DownloadMenu width={280}>
      {DOWNLOADS.map(({ as, label, help }) => (
        <Menu.Item key={as} component="a" href={urlOf(`/v1/crawls/${id}/download?as=${as}`)} download>
          {label}
          <Text size="xs" c="dimmed">
            {help}
          </Text>
        </Menu.Item>
      ))}
    </DownloadMenu>
  );
}
