import { Button, Group, Stack } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { ZONE } from '../../ui/format.js';
import { BackLink } from '../../ui/back-link.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { draftOf, isComplete, readOptions, requestOf, type MonitorDraft } from './monitor-draft.js';
import { MonitorFields, PagePanel } from './monitor-fields.js';
import { useCreation } from './monitor-queries.js';

/** A form for a monitor of a page, or of that of a capture, whose options it takes. */
export default function NewMonitorPage() {
  const [query] = useSearchParams();
  const [draft, setDraft] = useState<MonitorDraft>(() => draftOf(readOptions(query.get('options')), ZONE));
  const [, navigate] = useLocation();
  const { mutate, error, isPending } = useCreation();
  const change = (changes: Partial<MonitorDraft>) => setDraft((last) => ({ ...last, ...changes }));
  const create = (event: FormEvent) => {
    event.preventDefault();
    mutate(requestOf(draft), { onSuccess: ({ id }) => navigate(`/monitors/${id}`) });
  };
  return (
    <Stack gap="md" maw="48rem">
      <BackLink href="/monitors">Monitors</BackLink>
      <PageHeader title="New monitor" />
      <form onSubmit={create}>
        <Stack gap="md">
          <PagePanel draft={draft} change={change} />
          <MonitorFields draft={draft} change={change} />
          {error && <ProblemAlert error={error} />}
          <Group>
            <Button type="submit" loading={isPending} disabled={!isComplete(draft)}>
              Create the monitor
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}
