import { Anchor, Code, Group, Skeleton, Text } from '@mantine/core';
import type { CaptureRecord } from '@capture-service/client';
import { Link } from 'wouter';
import { DOCS_URL } from '../../../api/client.js';
import { rowOf } from '../../../capture-record/capture-row.js';
import { Thumbnail } from '../../../capture-record/thumbnail.js';
import { bytes, count, duration, shortUrl } from '../../../ui/format.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import classes from './batch.module.css';
import { nameOf, reasonOf } from './row-text.js';

interface RowProps {
  readonly record: CaptureRecord | undefined;
}

/** A row as a picture with its name; undefined while it is loaded. */
export function RowCard({ record }: RowProps) {
  if (!record) return <Skeleton className={classes.card} />;
  return (
    <article className={classes.card}>
      <Link href={`/captures/${record.id}`} className={classes.picture} aria-label={labelOf(record)}>
        <Thumbnail key={record.id} row={rowOf(record)} />
      </Link>
      <Group gap={6} wrap="nowrap" className={classes.caption}>
        <Text size="xs" c="dimmed" className="numeric">
          {count(record.row ?? 0)}
        </Text>
        <Text size="xs" truncate title={nameOf(record)} flex={1}>
          <bdi>{shortUrl(nameOf(record))}</bdi>
        </Text>
      </Group>
      {record.error && (
        <Text size="xs" lineClamp={2} className="breaks" title={reasonOf(record)} mx={8} mb={6}>
          {reasonOf(record)}
        </Text>
      )}
    </article>
  );
}

/** A row with what is known of it in one line; undefined while it is loaded. */
export function RowLine({ record }: RowProps) {
  if (!record) return <Skeleton height={36} my={4} />;
  return (
    <div className={classes.line}>
      <Text size="xs" c="dimmed" className="numeric">
        {count(record.row ?? 0)}
      </Text>
      <StatusBadge status={record.status} />
      <div className={classes.what}>
        <Link href={`/captures/${record.id}`} className={classes.name} title={nameOf(record)}>
          <bdi>{shortUrl(nameOf(record))}</bdi>
        </Link>
        {record.reference !== null && record.url !== null && (
          <Text size="xs" c="dimmed" truncate title={record.url}>
            <bdi>{shortUrl(record.url)}</bdi>
          </Text>
        )}
      </div>
      <div className={classes.why}>
        {record.error ? <Reason record={record} /> : <Facts record={record} />}
      </div>
    </div>
  );
}

function Reason({ record }: { readonly record: CaptureRecord }) {
  const code = record.error?.code ?? '';
  return (
    <Text size="xs" lineClamp={2} className="breaks" title={reasonOf(record)}>
      <Anchor href={`${DOCS_URL}/errors#${code}`} target="_blank" rel="noreferrer" size="xs">
        <Code>{code}</Code>
      </Anchor>{' '}
      {reasonOf(record)}
    </Text>
  );
}

function Facts({ record }: { readonly record: CaptureRecord }) {
  const { width, height, bytes: size, timings, format } = record;
  const facts = [
    format,
    width !== null && height !== null && `${count(width)} × ${count(height)}`,
    size !== null && bytes(size),
    timings && duration(timings.total_ms),
  ];
  return (
    <Text size="xs" c="dimmed" truncate className="numeric">
      {facts.filter(Boolean).join(' · ')}
    </Text>
  );
}

function labelOf(record: CaptureRecord): string {
  return `Row ${record.row ?? ''}, ${nameOf(record)}: ${record.status}`;
}
