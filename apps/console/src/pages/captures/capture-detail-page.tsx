import { CaptureError, hasEnded, type CaptureRecord } from '@capture-service/client';
import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { useApi } from '../../api/client.js';
import { nameOf, rowOf } from '../../capture-record/capture-row.js';
import { PageLink } from '../../capture-record/page-link.js';
import { CopyButton } from '../../ui/copy-button.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import { DetailActions } from './detail-actions.js';
import { DetailBody } from './detail-body.js';
import { Neighbours } from './neighbours.js';
import { RowBadges } from './row-badges.js';

const LIVE_MS = 1_000;

/** Everything of one capture. */
export default function CaptureDetailPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data: record, error, refetch } = useRecord(id);
  if (error && !record) {
    const isUnknown = error instanceof CaptureError && error.code === 'not_found';
    return (
      <>
        <PageHeader title="Capture" />
        <ProblemAlert
          error={error}
          title={isUnknown ? 'There is no such capture' : 'The capture cannot be loaded'}
          onRetry={isUnknown ? undefined : () => void refetch()}
        />
      </>
    );
  }
  if (!record) return <Loading />;
  return (
    <>
      <PageHeader title={nameOf(rowOf(record))} description={<DetailSummary record={record} />}>
        <Neighbours id={id} />
        <DetailActions record={record} />
      </PageHeader>
      <DetailBody record={record} />
    </>
  );
}

/** The record of a capture, followed until it ends. */
export function useRecord(id: string) {
  const { client } = useApi();
  return useQuery({
    queryKey: ['captures', 'record', id],
    queryFn: ({ signal }) => client.captures.get(id, { signal }),
    enabled: id !== '',
    refetchInterval: ({ state: { data } }) => (data && !hasEnded(data) ? LIVE_MS : false),
  });
}

function Loading() {
  return (
    <Stack role="status" aria-label="Loading the capture">
      <Skeleton h={24} w="50%" />
      <Skeleton h={16} w="30%" />
      <Skeleton h={420} />
    </Stack>
  );
}

/** The state, the target and the age of a capture in one line. */
function DetailSummary({ record }: { readonly record: CaptureRecord }) {
  return (
    <Group component="span" gap={8}>
      <StatusBadge status={record.status} />
      <RowBadges row={rowOf(record)} />
      {record.url !== null && (
        <Group component="span" gap={2} wrap="nowrap" miw={0}>
          <Text span lineClamp={2} title={record.url}>
            <PageLink url={record.url} />
          </Text>
          <CopyButton value={record.url} label="URL" />
        </Group>
      )}
      <TimeText iso={record.created_at} />
    </Group>
  );
}
