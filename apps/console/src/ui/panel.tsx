import { Group, Paper, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

interface PanelProps {
  readonly title: string;
  /** Buttons or facts, at the right of the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a title of its own. */
export function Panel({ title, aside, children }: PanelProps) {
  const id = useId();
  return (
    <Paper component="section" withBorder p="md" radius="md" aria-labelledby={id}>
      <Group justify="space-between" mb="sm" gap="xs" mih={30}>
        <Title order={2} id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Paper>
  );
}
