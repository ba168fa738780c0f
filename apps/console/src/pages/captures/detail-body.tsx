import { CaptureError, hasEnded, type CaptureRecord, type ChangeReport } from '@capture-service/client';
import { ActionIcon, Alert, Button, Code, Group, ScrollArea, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { DownloadIcon } from '@radix-ui/react-icons';
import { useApi } from '../../api/client.js';
import { fileSummary } from '../../capture-record/files.js';
import { RecordFacts } from '../../capture-record/record-facts.js';
import { RecordReports } from '../../capture-record/record-reports.js';
import { ResultViewer } from '../../capture-record/result-viewer.js';
import { TimingBars } from '../../capture-record/timing-bars.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Facts } from '../../ui/facts.js';
import { duration } from '../../ui/format.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { comparePath } from './compare-bar.js';
import classes from './detail.module.css';

interface BodyProps {
  readonly record: CaptureRecord;
}

const CANCELED: Readonly<Record<string, string>> = {
  client_request: 'It was canceled on request.',
  client_disconnected: 'It was canceled because the client closed the connection.',
  overloaded: 'It was canceled because the service was overloaded.',
  operator_request: 'It was canceled by the operator of the service.',
};

/** The outcome of a capture, and beside it what is known about it. */
export function DetailBody({ record }: BodyProps) {
  return (
    <div className={classes.columns}>
      <Stack gap="lg" miw={0}>
        <Outcome record={record} />
        {record.change && <ComparedWith record={record} change={record.change} />}
        {record.status === 'succeeded' && <RecordReports record={record} />}
      </Stack>
      <Stack gap="lg" miw={0}>
        {record.timings && (
          <Section title="Time">
            <TimingBars timings={record.timings} />
          </Section>
        )}
        {record.files.length > 0 && (
          <Section title="Files">
            <FileList record={record} />
          </Section>
        )}
        <Section title="Record" action={<CopyButton value={record.id} label="id" />}>
          <RecordFacts record={record} />
        </Section>
        {Object.keys(record.options).length > 0 && <Options record={record} />}
      </Stack>
    </div>
  );
}

function Outcome({ record }: BodyProps) {
  const { status, error } = record;
  if (record.deleted_at !== null)
    return (
      <Alert color="gray" title="Deleted">
        The files were deleted, with everything in the record that came from you or from the page. Times,
        sizes, status and codes are kept.
      </Alert>
    );
  if (error) return <Failure record={record} />;
  if (status === 'canceled')
    return <Alert color="gray">{CANCELED[record.cancel_reason ?? ''] ?? 'It was canceled.'}</Alert>;
  if (!hasEnded(record))
    return (
      <Alert color="indigo" role="status">
        {status === 'queued'
          ? 'The capture is waiting for a free slot. The result will appear here.'
          : 'The capture is running. The result will appear here.'}
      </Alert>
    );
  return <ResultViewer key={record.id} record={record} />;
}

/** The error with what the service says about it. */
function Failure({ record: { error, id } }: BodyProps) {
  if (!error) return null;
  const { phase, net_error: netError, elapsed_ms: elapsed, retryable, verdict } = error;
  const facts = [
    { label: 'Phase', value: phase },
    { label: 'After', value: elapsed === undefined ? null : duration(elapsed) },
    { label: 'Browser', value: netError && <Code>{netError}</Code> },
    { label: 'Verdict', value: verdict && [verdict.kind, ...verdict.evidence].join(' · ') },
    {
      label: 'Trying again',
      value: retryable
        ? 'The same request may succeed later.'
        : 'The same request will fail again unless the page or the options change.',
    },
  ];
  return (
    <Stack gap="xs">
      <ProblemAlert error={CaptureError.ofCapture(error, id)} title={error.title} />
      <Facts facts={facts} />
    </Stack>
  );
}

function Options({ record: { options } }: BodyProps) {
  const text = JSON.stringify(options, null, 2);
  return (
    <Section title="Options" action={<CopyButton value={text} label="options" />}>
      <ScrollArea.Autosize mah={360} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': 'Options' }}>
        <Code block className={classes.options} dir="auto">
          {text}
        </Code>
      </ScrollArea.Autosize>
    </Section>
  );
}

interface SectionProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

function Section({ title, action, children }: SectionProps) {
  return (
    <section>
      <Group justify="space-between" mih={28} mb={4}>
        <Title order={2} size="h3">
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </section>
  );
}

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
function ComparedWith({ record, change }: ComparedWithProps) {
  return (
    <Group gap="sm">
      <Text>{CHANGED[String(change.changed)]}</Text>
      <Button variant="default" component={Link} href={comparePath(change.compared_with, record.id)}>
        Compare both
      </Button>
    </Group>
  );
}

/** All files of a capture with their sizes. */
function FileList({ record }: { readonly record: CaptureRecord }) {
  const { urlOf } = useApi();
  return (
    <Stack gap={4}>
      {record.files.map((file) => (
        <Group key={file.name} justify="space-between" wrap="nowrap" gap="xs">
          <Text className="breaks">
            {file.name}{' '}
            <Text span c="dimmed" className="numeric">
              {file.format} · {fileSummary(file)}
            </Text>
          </Text>
          {file.url === null ? (
            <Text c="dimmed">{record.deleted_at === null ? 'expired' : 'deleted'}</Text>
          ) : (
            <ActionIcon
              component="a"
              href={urlOf(file.url)}
              download
              aria-label={`Download the file ${file.name}`}
            >
              <DownloadIcon />
            </ActionIcon>
          )}
        </Group>
      ))}
    </Stack>
  );
}
