import { Progress } from '@mantine/core';
import type { BatchRecord } from '@capture-service/client';
import { count } from '../../ui/format.js';
import { endedRows, type RowStatus } from './batch-counts.js';

const COLORS: Partial<Record<RowStatus, string>> = {
  succeeded: 'teal.6',
  failed: 'red.6',
  canceled: 'gray.5',
  running: 'indigo.3',
};

interface BatchBarProps {
  readonly batch: Pick<BatchRecord, 'counts' | 'total'>;
  readonly size?: number;
  /** What the bar counts. */
  readonly label?: string;
}

/** How many rows have ended, by how they did. */
export function BatchBar({ batch, size = 6, label = 'Rows that have ended' }: BatchBarProps) {
  const { counts, total } = batch;
  const ended = endedRows(batch);
  return (
    <Progress.Root
      size={size}
      radius="xl"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={ended}
      aria-valuetext={`${count(ended)} of ${count(total)}`}
    >
      {Object.entries(COLORS).map(([status, color]) => (
        <Progress.Section
          key={status}
          value={(100 * counts[status as RowStatus]) / Math.max(1, total)}
          color={color}
          withAria={false}
        />
      ))}
    </Progress.Root>
  );
}
