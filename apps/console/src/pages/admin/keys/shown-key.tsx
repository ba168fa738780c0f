import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../../ui/copy-button.js';
import classes from '../admin.module.css';

interface ShownKeyProps {
  readonly title: string;
  /** The key itself; null when the answer that had it was lost, and the request was repeated. */
  readonly value: string | null;
  readonly children?: ReactNode;
}

/** A key that was just made. It is in no address and no cache, so that it is gone with this page. */
export function ShownKey({ title, value, children }: ShownKeyProps) {
  return (
    <Alert color="indigo" title={title} role="status">
      <Stack gap="sm">
        {value === null ? (
          <Text>The answer with its secret was lost on its way, and is not given twice. Rotate the key.</Text>
        ) : (
          <>
            <Text>Copy it now: it is shown once, and the service keeps only a hash of it.</Text>
            <Group gap={4} wrap="nowrap">
              <Code className={classes.key}>{value}</Code>
              <CopyButton value={value} label="the key" />
            </Group>
          </>
        )}
        {children}
      </Stack>
    </Alert>
  );
}
