import { hasEnded } from '@capture-service/client';
import { Kbd, Skeleton, Stack, Text } from '@mantine/core';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { OutcomeView } from './outcome-view.js';
import { ProgressView } from './progress-view.js';
import classes from './run.module.css';
import type { Run } from './use-run.js';

/** The latest run: refused, on its way, or ended. */
export function ResultPanel({ run }: { readonly run: Run }) {
  const { jobId, job, submission, cancellation, followError, retry } = run;
  return (
    <Stack gap="md">
      {submission.error && <ProblemAlert error={submission.error} />}
      {cancellation.error && <ProblemAlert error={cancellation.error} title="The capture was not canceled" />}
      {followError !== undefined && followError !== null && (
        <ProblemAlert
          error={followError}
          title="The progress of the capture cannot be shown"
          onRetry={retry}
        />
      )}
      {job && !hasEnded(job) && (
        <ProgressView
          job={job}
          isCanceling={cancellation.isPending}
          onCancel={() => cancellation.mutate(job.id)}
        />
      )}
      {job && hasEnded(job) && <OutcomeView job={job} />}
      {!job && jobId !== undefined && !followError && (
        <Skeleton h={320} role="status" aria-label="Loading the capture" />
      )}
      {jobId === undefined && !submission.error && <Nothing />}
    </Stack>
  );
}

function Nothing() {
  return (
    <div className={classes.empty}>
      <Stack gap={4} align="center" p="lg" ta="center">
        <Text fw={600} size="md">
          Nothing captured yet
        </Text>
        <Text c="dimmed">
          Enter the URL of a page and capture it with the button or <Kbd size="xs">Ctrl</Kbd>{' '}
          <Kbd size="xs">Enter</Kbd>. The picture appears here.
        </Text>
      </Stack>
    </div>
  );
}
