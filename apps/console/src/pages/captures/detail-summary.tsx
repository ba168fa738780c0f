import type { CaptureRecord } from '@capture-service/client';
import { Group, Text } from '@mantine/core';
import { CopyButton } from '../../ui/copy-button.js';
import { PageLink } from '../../capture-record/page-link.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import { rowOf } from '../../capture-record/capture-row.js';
import { RowBadges } from './row-badges.js';

/** The state, the target and the age of a capture in one line. */
export function DetailSummary({ record }: { readonly record: CaptureRecord }) {
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
