import { Button, Select } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { Link, useSearchParams } from 'wouter';
import { EmptyState } from '../../ui/empty-state.js';
import { PageHeader } from '../../ui/page-header.js';
import { PagedList } from '../../ui/paged-list.js';
import { useCrawls } from './crawl-queries.js';
import { CrawlTable } from './crawl-table.js';
import { CRAWL_STATUSES, type CrawlStatus } from './crawl-text.js';

/** The crawls of the account with how far they are, and a way to a new one. */
export default function CrawlsPage() {
  const [search, setSearch] = useSearchParams();
  const status = CRAWL_STATUSES.find((each) => each === search.get('status'));
  return (
    <>
      <PageHeader title="Crawls" description="Find the pages of a site, and capture them as one batch.">
        <Select
          aria-label="Status"
          placeholder="Any status"
          data={CRAWL_STATUSES}
          value={status ?? null}
          onChange={(value) => setSearch(value === null ? {} : { status: value }, { replace: true })}
          clearable
          w={140}
        />
        <NewCrawlButton />
      </PageHeader>
      <PagedList query={useCrawls(status)} more="Show older crawls" empty={<NoCrawls status={status} />}>
        {(crawls) => <CrawlTable crawls={crawls} />}
      </PagedList>
    </>
  );
}

function NewCrawlButton() {
  return (
    <Button component={Link} href="/crawls/new" leftSection={<PlusIcon />}>
      New crawl
    </Button>
  );
}

function NoCrawls({ status }: { readonly status: CrawlStatus | undefined }) {
  if (status !== undefined) {
    return <EmptyState title={`No crawl is ${status}`}>Choose another status to see the others.</EmptyState>;
  }
  return (
    <EmptyState title="No crawls yet" action={<NewCrawlButton />}>
      A crawl follows the sitemaps and the links of a site. A preview shows what it would capture before
      anything is.
    </EmptyState>
  );
}
