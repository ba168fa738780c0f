import { CaptureError, type JobRecord } from '@capture-service/client';
import { Alert, Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { RecordFacts } from '../../../capture-record/record-facts.js';
import { RecordReports } from '../../../capture-record/record-reports.js';
import { ResultViewer } from '../../../capture-record/result-viewer.js';
import { TimingBars } from '../../../capture-record/timing-bars.js';
import { duration } from '../../../ui/format.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import classes from './run.module.css';

const CANCELED: Readonly<Record<string, string>> = {
  client_request: 'It was canceled on request. Nothing is charged.',
  client_disconnected: 'It was canceled because the client closed the connection. Nothing is charged.',
  overloaded: 'It was canceled because the service was overloaded. Nothing is charged.',
  operator_request: 'It was canceled by the operator of the service. Nothing is charged.',
};

/** The outcome of a job: its files, reports and record, or its error. */
export function OutcomeView({ job }: { readonly job: JobRecord }) {
  return (
    <Stack gap="md">
      <div className={classes.summary} role="status">
        <span>
          <StatusBadge status={job.status} />{' '}
          <Text span className="numeric" c="dimmed">
            {job.timings && `in ${duration(job.timings.total_ms)}`}
          </Text>
        </span>
        <Anchor component={Link} href={`/captures/${job.id}`} size="sm">
          Open the record
        </Anchor>
      </div>
      {job.error && <ProblemAlert error={CaptureError.ofCapture(job.error, job.id)} />}
      {job.status === 'canceled' && (
        <Alert color="gray">{CANCELED[job.cancel_reason ?? ''] ?? 'It was canceled.'}</Alert>
      )}
      {job.status === 'succeeded' && <ResultViewer key={job.id} record={job} />}
      <Details job={job} />
    </Stack>
  );
}

function Details({ job }: { readonly job: JobRecord }) {
  return (
    <div className={classes.details}>
      <Stack gap="lg">
        {job.timings && (
          <section>
            <Title order={2} size="h3" mb={4}>
              Time
            </Title>
            <TimingBars timings={job.timings} />
          </section>
        )}
        {job.status === 'succeeded' && <RecordReports record={job} />}
      </Stack>
      <section>
        <Title order={2} size="h3" mb={4}>
          Record
        </Title>
        <RecordFacts record={job} />
      </section>
    </div>
  );
}
