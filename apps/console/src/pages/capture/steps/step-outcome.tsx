import type { JobRecord } from '@capture-service/client';
import { Button, Text } from '@mantine/core';
import { PlayIcon } from '@radix-ui/react-icons';
import { useApi } from '../../../api/client.js';
import { duration } from '../../../ui/format.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { pictureOf, type StepOutcome } from './step-outcomes.js';
import classes from './steps.module.css';
import type { StartableRun } from './use-step-runs.js';

interface RunButtonProps {
  readonly index: number;
  readonly run: StartableRun | undefined;
  readonly disabled: boolean;
}

/** Captures the page as it is after this step. */
export function RunButton({ index, run, disabled }: RunButtonProps) {
  return (
    <Button
      variant="default"
      size="compact-xs"
      leftSection={<PlayIcon aria-hidden />}
      loading={run?.isRunning === true}
      disabled={disabled}
      aria-label={`Run to step ${index + 1}`}
      onClick={run?.start}
    >
      Run to here
    </Button>
  );
}

interface OutcomeProps {
  readonly index: number;
  readonly outcome: StepOutcome;
}

/** What is wrong with a step, and the page after it. */
export function OutcomeOfStep({ index, outcome }: OutcomeProps) {
  const { faults, shown, failedAt, failure } = outcome;
  return (
    <>
      {faults.length > 0 && <Faults faults={faults} />}
      {failedAt !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          It was not reached: step {failedAt + 1} failed.
        </Text>
      )}
      {failure && <ProblemAlert error={failure} title="The page after this step cannot be shown" />}
      {shown && <StepPicture job={shown} index={index} />}
    </>
  );
}

function Faults({ faults }: { readonly faults: readonly string[] }) {
  return (
    <div role="alert">
      {faults.map((fault) => (
        <Text key={fault} size="xs" c="var(--mantine-color-error)" className="breaks">
          {fault}
        </Text>
      ))}
    </div>
  );
}

function StepPicture({ job, index }: { readonly job: JobRecord; readonly index: number }) {
  const { urlOf } = useApi();
  const picture = pictureOf(job);
  // A page that hangs gives no picture of its failure.
  if (!picture) return null;
  const address = urlOf(picture.url);
  const moment = job.error ? `when step ${index + 1} failed` : `after step ${index + 1}`;
  return (
    <figure className={classes.picture}>
      <a href={address} target="_blank" rel="noreferrer">
        <img
          src={address}
          alt={`The page ${moment}`}
          width={picture.width ?? undefined}
          height={picture.height ?? undefined}
        />
      </a>
      <Text component="figcaption" size="xs" c="dimmed" className="numeric">
        The page {moment}
        {job.timings && ` · ${duration(job.timings.total_ms)}`}
      </Text>
    </figure>
  );
}
