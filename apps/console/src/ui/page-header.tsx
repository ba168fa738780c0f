import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface PageHeaderProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons of the page, at the right. */
  readonly children?: ReactNode;
}

/** The head of a page: its title, which is also that of the window, and its actions. */
export function PageHeader({ title, description, children }: PageHeaderProps) {
  useDocumentTitle(`${title} · Capture Service`);
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm" wrap="wrap">
      <Stack gap={2} miw={0} flex="1 1 12rem">
        <Title order={1} className="breaks" lineClamp={3} title={title}>
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" component="div">
            {description}
          </Text>
        )}
      </Stack>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}
