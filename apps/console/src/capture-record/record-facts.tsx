import type { CaptureRecord } from '@capture-service/client';
import { Anchor, Code } from '@mantine/core';
import { Link } from 'wouter';
import { bytes, count, time } from '../ui/format.js';
import { StatusBadge } from '../ui/status-badge.js';
import { Facts, type Fact } from '../ui/facts.js';
import { PageLink } from './page-link.js';

/** What the record says about the capture, the page and the first file. */
export function RecordFacts({ record }: { readonly record: CaptureRecord }) {
  return <Facts facts={[...pageFacts(record), ...fileFacts(record), ...captureFacts(record)]} />;
}

function pageFacts({ url, final_url: finalUrl, http_status: httpStatus, title }: CaptureRecord): Fact[] {
  return [
    { label: 'Target', value: url === null ? 'HTML of the request' : <PageLink url={url} /> },
    { label: 'Redirected to', value: finalUrl !== null && finalUrl !== url && <PageLink url={finalUrl} /> },
    { label: 'HTTP status', value: httpStatus },
    { label: 'Title', value: title && <bdi>{title}</bdi> },
  ].map(({ label, value }) => ({ label, value: value === false ? null : value }));
}

function fileFacts(record: CaptureRecord): Fact[] {
  const { files, width, height, pages, truncated, complete } = record;
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  return [
    { label: 'Format', value: record.format },
    { label: 'Size', value: width === null ? null : `${count(width)} × ${count(height ?? 0)} px` },
    { label: 'Pages', value: pages },
    {
      label: files.length > 1 ? `Bytes of ${files.length} files` : 'Bytes',
      value: files.length === 0 ? null : bytes(total),
    },
    { label: 'Height of the page', value: record.page_height && `${count(record.page_height)} px` },
    { label: 'Cut', value: truncated ? 'The page was larger than the picture.' : null },
    { label: 'Incomplete', value: complete === false ? 'The page was still loading.' : null },
    { label: 'SHA-256', value: record.sha256 && <Code className="breaks">{record.sha256}</Code> },
  ];
}

function captureFacts(record: CaptureRecord): Fact[] {
  const { batch_id: batchId, row } = record;
  return [
    { label: 'Status', value: <StatusBadge status={record.status} /> },
    { label: 'Reference', value: record.reference && <bdi>{record.reference}</bdi> },
    { label: 'Source', value: record.source },
    {
      label: 'Batch',
      value: batchId && (
        <Anchor component={Link} href={`/batches/${batchId}`} size="sm">
          {`row ${row ?? ''} of ${batchId}`}
        </Anchor>
      ),
    },
    { label: 'Attempts', value: record.attempts > 1 ? record.attempts : null },
    { label: 'Charged', value: record.billable ? 'yes' : 'no' },
    { label: 'Created', value: time(record.created_at) },
    { label: 'Finished', value: record.finished_at && time(record.finished_at) },
    { label: 'Expires', value: record.expires_at && time(record.expires_at) },
    { label: 'Deleted', value: record.deleted_at && time(record.deleted_at) },
    { label: 'Id', value: <Code>{record.id}</Code> },
  ];
}
