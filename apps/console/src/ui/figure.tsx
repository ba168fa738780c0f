import { Stack, Text } from '@mantine/core';

interface FigureProps {
  readonly label: string;
  readonly value: string;
}

/** One number that matters, with its name. */
export function Figure({ label, value }: FigureProps) {
  return (
    <Stack gap={0}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fz="1.375rem" lh={1.25} fw={600} className="numeric">
        {value}
      </Text>
    </Stack>
  );
}
