import { Button, List, Table, Text } from '@mantine/core';
import type { BrokenPage, CrawlPage } from '@capture-service/client';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { count, shortUrl } from '../../ui/format.js';
import { PagedList } from '../../ui/paged-list.js';
import { Panel } from '../../ui/panel.js';
import { useBroken } from './crawl-queries.js';
import classes from './crawls.module.css';

interface BrokenPanelProps {
  readonly id: string;
  readonly pages: readonly CrawlPage[];
}

/** The pages that are not there, with those that link to them; nothing while there are none. */
export function BrokenPanel({ id, pages }: BrokenPanelProps) {
  const broken = pages.filter(({ outcome }) => outcome === 'broken').length;
  const query = useBroken(id, broken);
  const captures = useMemo(() => new Map(pages.map((page) => [page.url, page.capture_id])), [pages]);
  if (broken === 0) return null;
  return (
    <Panel title={`Broken links (${count(broken)})`}>
      <PagedList query={query} more="Show further broken links" empty={null}>
        {(items) => <BrokenTable items={items} captures={captures} />}
      </PagedList>
    </Panel>
  );
}

type Captures = ReadonlyMap<string, string | null>;

interface BrokenTableProps {
  readonly items: readonly BrokenPage[];
  readonly captures: Captures;
}

function BrokenTable({ items, captures }: BrokenTableProps) {
  return (
    <Table layout="fixed" className={classes.brokenTable}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Page</Table.Th>
          <Table.Th scope="col" w={190}>
            Reason
          </Table.Th>
          <Table.Th scope="col">Linked from</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((page) => (
          <Table.Tr key={page.number}>
            <Table.Td className="breaks">
              <PageLink url={page.url} captureId={page.capture_id} />
            </Table.Td>
            <Table.Td className="breaks">
              {page.error_code ?? `status ${page.http_status ?? 'unknown'}`}
            </Table.Td>
            <Table.Td className="breaks">
              <Text size="xs" c="dimmed" className={classes.narrowLabel}>
                Linked from
              </Text>
              <Referrers urls={page.linked_from} captures={captures} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const SHOWN = 3;

interface ReferrersProps {
  readonly urls: readonly string[];
  readonly captures: Captures;
}

/** The first pages that have the link, and the others on request. */
function Referrers({ urls, captures }: ReferrersProps) {
  const [isWhole, setIsWhole] = useState(false);
  if (urls.length === 0) return <Text c="dimmed">No page that was captured</Text>;
  const shown = isWhole ? urls : urls.slice(0, SHOWN);
  return (
    <>
      <List listStyleType="none" size="sm">
        {shown.map((url) => (
          <List.Item key={url}>
            <PageLink url={url} captureId={captures.get(url) ?? null} />
          </List.Item>
        ))}
      </List>
      {urls.length > SHOWN && (
        <Button variant="subtle" size="compact-xs" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show ${count(urls.length - SHOWN)} more`}
        </Button>
      )}
    </>
  );
}

/** The address of a page, which leads to its capture. */
function PageLink({ url, captureId }: { readonly url: string; readonly captureId: string | null }) {
  const text = <bdi>{shortUrl(url)}</bdi>;
  if (captureId === null) return text;
  return (
    <Link href={`/captures/${captureId}`} className={classes.pageLink}>
      {text}
    </Link>
  );
}
