import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Health } from '@capture-service/client';
import { duration } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { StatusBadge } from '../../ui/status-badge.js';

const CHECKS: readonly { readonly name: keyof Health['checks']; readonly label: string }[] = [
  { name: 'database', label: 'Database' },
  { name: 'queue', label: 'Queue' },
  { name: 'storage', label: 'Storage' },
  { name: 'workers', label: 'Workers' },
];

/** What the service depends on, and how fast it answers. */
export function ChecksPanel({ health: { checks } }: { readonly health: Health }) {
  return (
    <Panel title="Checks">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="lg">
        {CHECKS.map(({ name, label }) => {
          const { status, latency_ms: latencyMs, error } = checks[name];
          return (
            <Stack key={name} gap={2}>
              <Group gap="xs">
                <Text fw={500}>{label}</Text>
                <StatusBadge status={status} />
              </Group>
              <Text c="dimmed" className="numeric">
                answered in {duration(latencyMs)}
              </Text>
              {error !== null && <Text className="breaks">{error}</Text>}
            </Stack>
          );
        })}
      </SimpleGrid>
    </Panel>
  );
}
