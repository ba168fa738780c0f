import type { CaptureRecord, ChangeReport } from '@capture-service/client';
import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { comparePath } from './compare-bar.js';

interface ComparedWithProps {
  readonly record: CaptureRecord;
  readonly change: ChangeReport;
}

const CHANGED: Readonly<Record<string, string>> = {
  true: 'The page has changed since an earlier capture.',
  false: 'The page is the same as in an earlier capture.',
  null: 'The page could not be compared with an earlier capture.',
};

/** Leads to the comparison with the earlier capture that the service has compared this one with. */
export function ComparedWith({ record, change }: ComparedWithProps) {
  return (
    <Group gap="sm">
      <Text>{CHANGED[String(change.changed)]}</Text>
      <Button variant="default" component={Link} href={comparePath(change.compared_with, record.id)}>
        Compare both
      </Button>
    </Group>
  );
}
