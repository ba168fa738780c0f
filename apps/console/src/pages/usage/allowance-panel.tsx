import { Group, Skeleton, Stack, Text } from '@mantine/core';
import type { Usage } from '@capture-service/client';
import { count, share } from '../../ui/format.js';
import { Meter } from '../../ui/meter.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Figure } from '../../ui/figure.js';
import { useUsage } from './usage-queries.js';

/** From this part on, the event `usage.threshold` has been sent. */
const WARNED_PART = 0.8;

export function AllowancePanel() {
  const { data, error } = useUsage();
  return (
    <Panel title="Allowance" aside={data && <Text c="dimmed">{share(data.used, data.total)} used</Text>}>
      {data && <Allowance usage={data} />}
      {!data && error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={104} role="status" aria-label="Loading" />}
    </Panel>
  );
}

function Allowance({ usage: { total, used, available } }: { readonly usage: Usage }) {
  return (
    <Stack gap="sm">
      <Group gap="xl">
        <Figure label="Used" value={count(used)} />
        <Figure label="Available" value={count(available)} />
        <Figure label="Total" value={count(total)} />
      </Group>
      <Meter
        label="Allowance"
        value={used}
        max={total}
        mark={WARNED_PART}
        text={`${count(used)} of ${count(total)} units used`}
      />
      <Text size="xs" c="dimmed">
        {adviceOf(used, total)}
      </Text>
    </Stack>
  );
}

function adviceOf(used: number, total: number): string {
  if (used >= total)
    return 'No unit is left. New captures are refused until the period ends or the operator raises the allowance.';
  if (used >= total * WARNED_PART) return 'More than 80 % is used. At 100 % new captures are refused.';
  return 'Captures that succeeded or are in progress. The mark is at 80 %, where the event usage.threshold is sent.';
}
