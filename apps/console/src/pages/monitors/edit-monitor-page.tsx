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
          <WatchedPage capture={monitor.capture} {...{ draft, change, before }} />
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

interface WatchedPageProps extends DraftProps {
  readonly capture: NonNullable<MonitorRecord['capture']>;
  readonly before: MonitorDraft;
}

/** The page of the monitor. With another one its captures have the options of the draft, otherwise they stay as they are. */
function WatchedPage({ capture, before, ...props }: WatchedPageProps) {
  if (props.draft.url.trim() === before.url) {
    const options = Object.keys(capture).filter((name) => name !== 'url');
    return <PagePanel {...props} options={options} withoutName={AS_IT_IS} />;
  }
  return (
    <PagePanel {...props} withoutName={AS_IT_IS}>
      <OtherPage options={capture} />
    </PagePanel>
  );
}

const AS_IT_IS = 'as it is';

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
        <NameField {...props} withoutName={AS_IT_IS} />
        <Text c="dimmed" size="sm" component="div" className="breaks">
          {pagesOf(monitor).map(({ number, url }) => (
            <div key={number}>{url}</div>
          ))}
        </Text>
      </Stack>
    </Panel>
  );
}
