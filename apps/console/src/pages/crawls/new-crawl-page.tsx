import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { CrawlRecord } from '@capture-service/client';
import { useState, type FormEvent } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { BackLink } from '../../ui/back-link.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { draftOf, EMPTY_DRAFT, faultsOf, requestOf, type CrawlDraft } from './crawl-draft.js';
import { CrawlFields } from './crawl-fields.js';
import { useCrawl, useCreation } from './crawl-queries.js';
import { PreviewPanel } from './preview-panel.js';

/** A form for a crawl, also with the rules of an earlier one. */
export default function NewCrawlPage() {
  const [search] = useSearchParams();
  const again = search.get('again');
  return (
    <Stack gap="md" maw="48rem">
      <BackLink href="/crawls">Crawls</BackLink>
      <PageHeader title="New crawl" />
      {again === null ? <CrawlForm first={EMPTY_DRAFT} /> : <Again key={again} id={again} />}
    </Stack>
  );
}

function Again({ id }: { readonly id: string }) {
  const { data, error } = useCrawl(id);
  if (error && !data) return <ProblemAlert error={error} title="The earlier crawl could not be read" />;
  if (!data) return <Skeleton h="24rem" role="status" aria-label="Loading" />;
  return (
    <>
      <Alert color="gray">
        These are the rules of <Link href={`/crawls/${id}`}>an earlier crawl</Link>, without the options of
        its captures and its webhook.
      </Alert>
      <CrawlForm first={draftOf(data)} />
    </>
  );
}

function CrawlForm({ first }: { readonly first: CrawlDraft }) {
  const [draft, setDraft] = useState(first);
  const [, navigate] = useLocation();
  const creation = useCreation();
  const preview = usePreview(draft);
  const failed = preview.mutation.error === null ? creation : preview.mutation;
  const start = (event: FormEvent) => {
    event.preventDefault();
    preview.mutation.reset();
    creation.mutate(requestOf(draft), { onSuccess: ({ id }) => navigate(`/crawls/${id}`) });
  };
  const show = () => {
    creation.reset();
    preview.show();
  };
  return (
    <>
      <form onSubmit={start}>
        <Stack gap="md">
          <CrawlFields
            draft={draft}
            faults={faultsOf(failed.error, failed.variables, draft)}
            change={(changes) => setDraft((last) => ({ ...last, ...changes }))}
          />
          {failed.error && <ProblemAlert error={failed.error} />}
          <Buttons
            {...{ draft, show }}
            isStarting={creation.isPending}
            isShowing={preview.mutation.isPending}
          />
        </Stack>
      </form>
      {preview.crawl && (
        <PreviewPanel key={preview.crawl.id} crawl={preview.crawl} isOutdated={preview.isOutdated} />
      )}
    </>
  );
}

interface ButtonsProps {
  readonly draft: CrawlDraft;
  readonly show: () => void;
  readonly isStarting: boolean;
  readonly isShowing: boolean;
}

function Buttons({ draft: { url, source }, show, isStarting, isShowing }: ButtonsProps) {
  const isEmpty = url.trim() === '';
  return (
    <Group>
      <Button type="submit" loading={isStarting} disabled={isEmpty}>
        Start the crawl
      </Button>
      <Button variant="default" loading={isShowing} disabled={isEmpty} onClick={show}>
        Preview
      </Button>
      <Text c="dimmed" size="xs" flex="1 1 14rem">
        {source === 'sitemap'
          ? 'A preview lists what would be captured, and captures nothing.'
          : 'A preview reads sitemaps. Links are found only while pages are captured.'}
      </Text>
    </Group>
  );
}

/** What a crawl with these settings would capture, and whether they have changed since. */
function usePreview(draft: CrawlDraft) {
  const mutation = useCreation();
  const [shown, setShown] = useState<{ readonly crawl: CrawlRecord; readonly request: string }>();
  const request = JSON.stringify(requestOf(draft));
  const show = () =>
    mutation.mutate(
      { ...requestOf(draft), dry_run: true },
      { onSuccess: (crawl) => setShown({ crawl, request }) },
    );
  return {
    mutation,
    show,
    crawl: shown?.crawl,
    isOutdated: shown !== undefined && shown.request !== request,
  };
}
