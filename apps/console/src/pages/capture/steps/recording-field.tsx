import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { DropZone } from '../../../ui/drop-zone.js';
import type { FieldProps } from '../fields/field-props.js';
import { readRecording, summaryOf } from './recording-text.js';
import { OutcomeOfStep, RunButton } from './step-outcome.js';
import { outcomeOf, type StepOutcome } from './step-outcomes.js';
import { useStepsForm } from './steps-context.js';
import classes from './steps.module.css';
import { useStepRuns, type StartableRun } from './use-step-runs.js';

/** A recording of Chrome's Recorder: dropped or chosen, then its steps, and the page after each. */
export function RecordingField({ id, value, fault, disabled, onChange }: FieldProps) {
  const [unread, setUnread] = useState<string>();
  const take = async (file: File): Promise<void> => {
    const { fault: problem, ...read } = await readRecording(file);
    setUnread(problem);
    if ('recording' in read) onChange(read.recording);
  };
  return (
    <Stack gap={8}>
      {value === undefined ? (
        <DropZone
          title="Drop a recording here"
          accept=".json,application/json"
          onFile={(file) => void take(file)}
          {...{ id, disabled }}
          isSmall
        >
          What the Recorder of Chrome&apos;s DevTools exports as JSON.
        </DropZone>
      ) : (
        <Recording {...{ id, value, disabled }} onRemove={() => onChange(undefined)} />
      )}
      {(unread ?? fault) !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert" className="breaks">
          {unread ?? fault}
        </Text>
      )}
    </Stack>
  );
}

interface RecordingProps extends Pick<FieldProps, 'id' | 'value' | 'disabled'> {
  readonly onRemove: () => void;
}

function Recording({ id, value, disabled, onRemove }: RecordingProps) {
  const { title, steps } = value as { readonly title?: unknown; readonly steps?: unknown };
  const list: readonly unknown[] = Array.isArray(steps) ? steps : [];
  const { refused } = useStepsForm();
  const runs = useStepRuns('recording', list.length);
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text fw={600} className="breaks">
          {typeof title === 'string' && title !== '' ? title : 'Recording'}
        </Text>
        <Button
          id={id}
          aria-label="Remove the recording"
          variant="default"
          size="compact-xs"
          disabled={disabled}
          onClick={onRemove}
        >
          Remove the recording
        </Button>
      </Group>
      <ol className={classes.list} aria-label="Recorded steps">
        {list.map((step, index) => (
          <RecordedStep
            key={index}
            {...{ step, index, disabled }}
            run={runs[index]}
            outcome={outcomeOf({ runs, refused, option: 'recording' }, index)}
          />
        ))}
      </ol>
    </>
  );
}

interface RecordedStepProps {
  readonly step: unknown;
  readonly index: number;
  readonly disabled: boolean;
  readonly run: StartableRun | undefined;
  readonly outcome: StepOutcome;
}

function RecordedStep({ step, index, disabled, run, outcome }: RecordedStepProps) {
  return (
    <li className={classes.step} data-faulty={outcome.faults.length > 0 || undefined}>
      <div className={classes.head}>
        <span className={classes.number} aria-hidden>
          {index + 1}
        </span>
        <bdi className={classes.summary}>{summaryOf(step)}</bdi>
        <RunButton {...{ index, run, disabled }} />
      </div>
      <OutcomeOfStep index={index} outcome={outcome} />
    </li>
  );
}
