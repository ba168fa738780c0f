import { Button, Group, SegmentedControl, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import type { CrawlPage, CrawlRecord } from '@capture-service/client';
import { useDeferredValue, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { capital, count } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { SEARCH_FIELD } from '../../ui/search-field.js';
import { isOver } from './crawl-text.js';
import classes from './crawls.module.css';
import { countOutcomes, outcomeOf, rowsOf, totalOf, treeOf, type Outcome } from './page-tree.js';
import { PathTree } from './path-tree.js';
import { useOpenFolders, type OpenFolders } from './use-open-folders.js';

interface PagesPanelProps {
  readonly crawl: CrawlRecord;
  /** Undefined until the first of them are known. */
  readonly pages: readonly CrawlPage[] | undefined;
}

/** The pages of a crawl as a tree of their paths, of one outcome or with a text in their address or title. */
export function PagesPanel({ crawl, pages }: PagesPanelProps) {
  const { filter, text, change } = useFilter();
  const isFiltered = filter !== 'all' || text !== '';
  const folders = useOpenFolders(crawl.url, isFiltered);
  const searched = useDeferredValue(text);
  const found = useMemo(() => withText(pages ?? [], searched), [pages, searched]);
  const hosts = useMemo(() => treeOf(withOutcome(found, filter)), [found, filter]);
  const rows = rowsOf(hosts, folders.isOpen);
  const pendingText = crawl.dry_run ? undefined : pendingTextOf(crawl);
  return (
    <Panel title="Pages" aside={<FolderButtons folders={folders} />}>
      <Stack gap="sm">
        <Group gap="xs" justify="space-between">
          {pendingText !== undefined && <OutcomeFilter value={filter} {...{ found, pendingText, change }} />}
          <TextFilter value={text} change={change} />
        </Group>
        {!pages && <Skeleton h="12rem" role="status" aria-label="Loading the pages" />}
        {pages && rows.length === 0 && <NoPages isFiltered={isFiltered} />}
        {rows.length > 0 && <PathTree rows={rows} onToggle={folders.toggle} pendingText={pendingText} />}
      </Stack>
    </Panel>
  );
}

function FolderButtons({ folders }: { readonly folders: OpenFolders }) {
  return (
    <Group gap="xs">
      <Button variant="default" onClick={folders.openAll}>
        Expand all
      </Button>
      <Button variant="default" onClick={folders.closeAll}>
        Collapse all
      </Button>
    </Group>
  );
}

interface TextFilterProps {
  readonly value: string;
  readonly change: Change;
}

function TextFilter({ value, change }: TextFilterProps) {
  return (
    <TextInput
      {...SEARCH_FIELD}
      type="search"
      aria-label="Filter the pages by address or title"
      placeholder="Address or title"
      leftSection={<MagnifyingGlassIcon aria-hidden />}
      flex="1 1 12rem"
      maw="24rem"
      value={value}
      onChange={(event) => change({ q: event.currentTarget.value })}
    />
  );
}

function NoPages({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Text c="dimmed" py="lg" ta="center">
      {isFiltered ? 'No page is like that.' : 'No page was found yet.'}
    </Text>
  );
}

/** What a page without an outcome is: nothing waits once the crawl has ended. */
function pendingTextOf(crawl: CrawlRecord): string {
  return isOver(crawl) ? 'not captured' : 'waiting';
}

const OUTCOMES = ['ok', 'broken', 'pending', 'canceled'] as const satisfies readonly Outcome[];

type Filter = Outcome | 'all';
/** Changes what the address of the page says. */
type Change = (changes: Readonly<Record<string, string>>) => void;

interface OutcomeFilterProps {
  readonly value: Filter;
  readonly found: readonly CrawlPage[];
  readonly pendingText: string;
  readonly change: Change;
}

function OutcomeFilter({ value, found, pendingText, change }: OutcomeFilterProps) {
  const counts = countOutcomes(found);
  const labels = { ok: 'OK', broken: 'Broken', pending: capital(pendingText), canceled: 'Canceled' };
  const outcomes = OUTCOMES.filter(
    (outcome) => outcome !== 'canceled' || counts.canceled > 0 || value === outcome,
  );
  return (
    <div className={classes.filters}>
      <SegmentedControl
        aria-label="Pages by outcome"
        className="numeric"
        value={value}
        onChange={(outcome) => change({ outcome })}
        data={[
          { value: 'all', label: `All ${count(totalOf(counts))}` },
          ...outcomes.map((outcome) => ({
            value: outcome,
            label: `${labels[outcome]} ${count(counts[outcome])}`,
          })),
        ]}
      />
    </div>
  );
}

/** What is shown of the pages, which the address of the page keeps. */
function useFilter() {
  const [search, setSearch] = useSearchParams();
  const filter: Filter = OUTCOMES.find((outcome) => outcome === search.get('outcome')) ?? 'all';
  const change: Change = (changes) =>
    setSearch((old) => new URLSearchParams({ ...Object.fromEntries(old), ...changes }), { replace: true });
  return { filter, text: search.get('q') ?? '', change };
}

function withOutcome(pages: readonly CrawlPage[], filter: Filter): readonly CrawlPage[] {
  return filter === 'all' ? pages : pages.filter((page) => outcomeOf(page) === filter);
}

function withText(pages: readonly CrawlPage[], text: string): readonly CrawlPage[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return pages;
  return pages.filter(({ url, title }) =>
    [url, title ?? ''].some((each) => each.toLowerCase().includes(wanted)),
  );
}
