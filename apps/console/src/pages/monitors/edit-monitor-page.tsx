import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { MonitorRecord } from '@capture-service/client';
import { useState, type FormEvent } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { REDACTED } from '../../capture-record/again-path.js';
import { BackLink } from '../../ui/back-link.js';
import { ZONE } from '../../ui/format.js';
import { PageHeader } from '../../ui/page-header.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { pagesOf } from './check-text.js';
import { changesOf, draftOfMonitor, isChangeComplete, type MonitorDraft } from './monitor-draft.js';
import { MonitorFields, NameField, PagePanel } from './monitor-fields.js';
import { useChange, useMonitor } from './monitor-queries.js';
import type { DraftProps } from './schedule-panel.js';

/** The form of a monitor with what it has. */
export default function EditMonitorPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error, refetch } = useMonitor(id);
  return (
    <Stack gap="md" maw="48rem">
      <BackLink href={`/monitors/${id}`}>{data?.name ?? 'Monitor'}</BackLink>
      <PageHeader title="Edit the monitor" />
      {data && <EditForm monitor={data} />}
      {!data && error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h="24rem" role="status" aria-label="Loading" />}
    </Stack>
  );
}

function EditForm({ monitor }: { readonly monitor: MonitorRecord }) {
  const [typed, setTyped] = useState<Partial<MonitorDraft>>({});
  const [, navigate] = useLocation();
  const { mutate, error, isPending } = useChange(monitor.id);
  const before = draftOfMonitor(monitor, ZONE);
  const draft = { ...before, ...typed };
  const change = (changes: Partial<MonitorDraft>) => setTyped((last) => ({ ...last, ...changes }));
  const save = (event: FormEvent) => {
    event.preventDefault();
    mutate(changesOf(before, draft), { onSuccess: () => navigate(`/monitors/${monitor.id}`) });
  };
  return (
    <form onSubmit={save}>
      <Stack gap="md">
        {monitor.capture ? (
          <PagePanel draft={draft} change={change}>
            {draft.url.trim() !== before.url && <OtherPage options={monitor.capture} />}
          </PagePanel>
        ) : (
          <PagesPanel monitor={monitor} draft={draft} change={change} />
        )}
        <MonitorFields draft={draft} change={change} present={monitor.notify} />
        {error && <ProblemAlert error={error} />}
        <Group>
          <Button type="submit" loading={isPending} disabled={!isChangeComplete(before, draft)}>
            Save the monitor
          </Button>
          <Button component={Link} variant="default" href={`/monitors/${monitor.id}`}>
            Leave it as it is
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What a person should know who has typed another address. */
function OtherPage({ options }: { readonly options: Readonly<Record<string, unknown>> }) {
  const secret = Object.keys(options).filter((name) => options[name] === REDACTED);
  return (
    <Alert color="yellow" p="xs" className="breaks">
      With another page the monitor starts over: there is nothing to compare the page with yet.
      {secret.length > 0 && ` Its captures lose the options that are secret: ${secret.join(', ')}.`}
    </Alert>
  );
}

/** The pages of a monitor of several, which the API changes. */
function PagesPanel({ monitor, ...props }: DraftProps & { readonly monitor: MonitorRecord }) {
  return (
    <Panel title="Pages">
      <Stack gap="sm">
        <NameField {...props} />
        <Text c="dimmed" size="sm" component="div" className="breaks">
          {pagesOf(monitor).map(({ number, url }) => (
            <div key={number}>{url}</div>
          ))}
        </Text>
      </Stack>
    </Panel>
  );
}
