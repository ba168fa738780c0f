import type { CaptureRecord, ChangeReport } from '@capture-service/client';
import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { comparePath } from './compare-bar.js';

interface ComparedWithProps {
  readonly record: CaptureRecord;
  readonly change: ChangeReport;
}

/** Leads to the comparison with the earlier capture that the service has compared this one with. */
export function ComparedWith({ record, change }: ComparedWithProps) {
  return (
    <Group gap="sm">
      <Text>
        {change.changed
          ? 'The page has changed since an earlier capture.'
          : 'The page is the same as in an earlier capture.'}
      </Text>
      <Button variant="default" component={Link} href={comparePath(change.compared_with, record.id)}>
        Compare both
      </Button>
    </Group>
  );
}
