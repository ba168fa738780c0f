import { Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly title: string;
  /** What to do first. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Stands where nothing is listed yet. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack align="center" gap="xs" maw="32rem" mx="auto" ta="center">
        <Text fw={600} size="md">
          {title}
        </Text>
        <Text c="dimmed">{children}</Text>
        {action !== undefined && <Group mt="xs">{action}</Group>}
      </Stack>
    </Paper>
  );
}
