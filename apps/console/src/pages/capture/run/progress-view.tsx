import type { JobRecord } from '@capture-service/client';
import { Button, Group, Paper, Progress, Text } from '@mantine/core';
import { PHASES } from '../../../capture-record/phases.js';
import { count, duration } from '../../../ui/format.js';
import { useNow } from '../../../ui/use-now.js';
import classes from './run.module.css';

const RENEWED_MS = 200;

interface ProgressViewProps {
  readonly job: JobRecord;
  readonly isCanceling: boolean;
  readonly onCancel: () => void;
}

/** Where a job is now: its place in the queue or its phase, and how long it has taken. */
export function ProgressView({ job, isCanceling, onCancel }: ProgressViewProps) {
  const phase = phaseOf(job);
  const at = PHASES.findIndex(({ field }) => field === `${phase}_ms`);
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Text fw={500} role="status">
          {textOf(job, phase)}
        </Text>
        <Group gap="sm" wrap="nowrap">
          <Elapsed since={job.created_at} />
          <Button variant="default" loading={isCanceling} onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Group>
      <Progress value={100} animated size="sm" aria-label="The capture is running" mb="sm" />
      <ol className={classes.phases} aria-label="Phases">
        {PHASES.map(({ field, label, help }, i) => (
          <li
            key={field}
            data-state={stateOf(i, at)}
            title={help}
            aria-current={i === at ? 'step' : undefined}
          >
            {label}
          </li>
        ))}
      </ol>
    </Paper>
  );
}

/** The phase of a job; one that has just started has none yet. */
function phaseOf(job: JobRecord): string | undefined {
  if (job.status === 'queued') return 'queue';
  return job.phase ?? undefined;
}

function textOf(
  { status, queue_position: position, attempts }: JobRecord,
  phase: string | undefined,
): string {
  if (status === 'queued')
    return position === null ? 'Waiting for a free slot' : `Waiting: number ${count(position)} in the queue`;
  const known = PHASES.find(({ field }) => field === `${phase}_ms`);
  const text = known ? `${known.label}: ${known.help.toLowerCase()}` : 'Running';
  return attempts > 1 ? `${text} (attempt ${attempts})` : text;
}

function stateOf(index: number, current: number): 'done' | 'now' | 'ahead' {
  if (index === current) return 'now';
  return index < current ? 'done' : 'ahead';
}

function Elapsed({ since }: { readonly since: string }) {
  const now = useNow(RENEWED_MS);
  // The clock of the service is known to the second only.
  return <Text className="numeric">{duration(Math.max(0, now - Date.parse(since)))}</Text>;
}
