import { Button, Group, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { ZONE } from '../../ui/format.js';
import { BackLink } from '../../ui/back-link.js';
import { PageHeader } from '../../ui/page-header.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { draftOf, isComplete, readOptions, requestOf, type MonitorDraft } from './monitor-draft.js';
import { useCreation } from './monitor-queries.js';
import { ReceiversPanel } from './receivers-panel.js';
import { SchedulePanel, type DraftProps } from './schedule-panel.js';

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
          <SchedulePanel draft={draft} change={change} />
          <ChangePanel draft={draft} change={change} />
          <ReceiversPanel draft={draft} change={change} />
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

function PagePanel({ draft, change }: DraftProps) {
  const names = Object.keys(draft.options);
  return (
    <Panel title="Page">
      <Stack gap="sm">
        <TextInput
          label="Page to watch"
          placeholder="https://example.com/pricing"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={draft.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
        />
        <TextInput
          label="Name"
          description="Empty: the host of the page."
          autoComplete="off"
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <Text c="dimmed" size="sm" className="breaks">
          {names.length > 0 ? `Options of the capture: ${names.join(', ')}.` : 'The capture has no options.'}
        </Text>
      </Stack>
    </Panel>
  );
}

function ChangePanel({ draft, change }: DraftProps) {
  return (
    <Panel title="What counts as a change">
      <Stack gap="sm">
        <NumberInput
          label="Least change in percent"
          description="Smaller changes are no change."
          min={0}
          max={100}
          decimalScale={4}
          value={draft.leastPercent}
          onChange={(percent) => change({ leastPercent: Number(percent) || 0 })}
        />
        <NumberInput
          label="Captures that must show it"
          description="With 1 a change is reported at once."
          min={1}
          max={3}
          allowDecimal={false}
          value={draft.confirm}
          onChange={(confirm) => change({ confirm: Number(confirm) || 1 })}
        />
        <Textarea
          label="Elements that do not count"
          description="CSS selectors, one a line."
          placeholder=".clock"
          autosize
          minRows={1}
          autoComplete="off"
          spellCheck={false}
          value={draft.ignored}
          onChange={(event) => change({ ignored: event.currentTarget.value })}
        />
      </Stack>
    </Panel>
  );
}
