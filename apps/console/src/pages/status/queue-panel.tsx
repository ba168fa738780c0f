import { Group, Stack, Text } from '@mantine/core';
import type { ServiceStatus } from '@capture-service/client';
import { Figure } from '../../ui/figure.js';
import { count, duration } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';

/** More than this is not counted exactly. */
const MAX_COUNTED = 100_000;

/** The captures of all accounts that wait or run. */
export function QueuePanel({ queue }: { readonly queue: ServiceStatus['queue'] }) {
  return (
    <Panel title="Queue" aside={<Text c="dimmed">all accounts</Text>}>
      {queue === null ? (
        <Text>The queue is not known while the database is unavailable.</Text>
      ) : (
        <Stack gap="sm">
          <Group gap="xl">
            <Figure
              label="Waiting"
              value={`${count(queue.waiting)}${queue.waiting >= MAX_COUNTED ? '+' : ''}`}
            />
            <Figure label="Running" value={count(queue.active)} />
            <Figure
              label="Longest wait"
              value={queue.oldest_waiting_s === null ? '–' : duration(queue.oldest_waiting_s * 1_000)}
            />
          </Group>
          <Text size="xs" c="dimmed">
            {queue.waiting === 0
              ? 'No capture waits.'
              : 'Captures wait for a free slot of a worker or of their account.'}
          </Text>
        </Stack>
      )}
    </Panel>
  );
}
