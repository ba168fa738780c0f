import { Group, Skeleton, Stack, Text } from '@mantine/core';
import type { Usage } from '@capture-service/client';
import { Figure } from '../../ui/figure.js';
import { count, time } from '../../ui/format.js';
import { Meter } from '../../ui/meter.js';
import { Panel } from '../../ui/panel.js';
import { useUsage } from './usage-queries.js';

export function ConcurrencyPanel() {
  const { data, error } = useUsage();
  return (
    <Panel title="Concurrency now" aside={<Text c="dimmed">refreshed every 3 s</Text>}>
      {data && <Concurrency concurrency={data.concurrency} />}
      {!data && !error && <Skeleton h={104} role="status" aria-label="Loading" />}
    </Panel>
  );
}

function Concurrency({ concurrency: { limit, remaining, reset_unix: reset } }: Pick<Usage, 'concurrency'>) {
  const busy = limit - remaining;
  return (
    <Stack gap="sm">
      <Group gap="xl">
        <Figure label="In progress" value={count(busy)} />
        <Figure label="Free" value={count(remaining)} />
        <Figure label="Limit" value={count(limit)} />
      </Group>
      <Meter label="Concurrency" value={busy} max={limit} text={`${busy} of ${limit} captures in progress`} />
      <Text size="xs" c="dimmed">
        {busy === 0
          ? 'No capture is in progress.'
          : `All slots are free by ${time(new Date(reset * 1_000).toISOString())} at the latest.`}
      </Text>
    </Stack>
  );
}
