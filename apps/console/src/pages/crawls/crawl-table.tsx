import { Badge, Group, Table, Text } from '@mantine/core';
import type { BatchRecord, CrawlRecord } from '@capture-service/client';
import { Link } from 'wouter';
import { count, shortUrl } from '../../ui/format.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import { useBatchOf } from './crawl-queries.js';
import { skippedTotal } from './crawl-text.js';
import classes from './crawls.module.css';

/** Crawls with what they found and captured, newest first. */
export function CrawlTable({ crawls }: { readonly crawls: readonly CrawlRecord[] }) {
  return (
    <Table className={`numeric ${classes.table}`} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col" w={118}>
            Status
          </Table.Th>
          <Table.Th scope="col">Address</Table.Th>
          {['Found', 'Captured', 'Failed', 'Skipped'].map((name) => (
            <Table.Th key={name} scope="col" w={84} ta="right" visibleFrom="md">
              {name}
            </Table.Th>
          ))}
          <Table.Th scope="col" w={110} ta="right">
            Started
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {crawls.map((crawl) => (
          <CrawlRow key={crawl.id} crawl={crawl} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function CrawlRow({ crawl }: { readonly crawl: CrawlRecord }) {
  const batch = useBatchOf(crawl);
  const numbers = numbersOf(crawl, batch);
  return (
    <Table.Tr className="link-row">
      <Table.Td>
        <StatusBadge status={crawl.status} />
      </Table.Td>
      <Table.Td>
        <Group gap={8} wrap="nowrap">
          <Link href={`/crawls/${crawl.id}`} className={`row-link ${classes.link}`} title={crawl.url}>
            <bdi>{shortUrl(crawl.url)}</bdi>
          </Link>
          {crawl.dry_run && (
            <Badge color="gray" flex="none">
              preview
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" hiddenFrom="md">
          {numbers
            .flatMap(({ name, value }) => (value === null ? [] : `${count(value)} ${name}`))
            .join(' · ')}
        </Text>
      </Table.Td>
      {numbers.map(({ name, value }) => (
        <Table.Td key={name} ta="right" visibleFrom="md">
          {value === null ? '–' : count(value)}
        </Table.Td>
      ))}
      <Table.Td ta="right">
        <TimeText iso={crawl.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Null where nothing is captured, or while it is not known. */
function numbersOf(crawl: CrawlRecord, batch: BatchRecord | undefined) {
  return [
    { name: 'found', value: crawl.discovered },
    { name: 'captured', value: batch?.counts.succeeded ?? null },
    { name: 'failed', value: batch?.counts.failed ?? null },
    { name: 'skipped', value: skippedTotal(crawl) },
  ];
}
