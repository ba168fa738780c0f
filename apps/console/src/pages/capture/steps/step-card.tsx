import { ActionIcon, Select, SegmentedControl, UnstyledButton } from '@mantine/core';
import { ArrowDownIcon, ArrowUpIcon, Cross2Icon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { StepField } from './step-field.js';
import {
  fieldsOf,
  STEP_TYPES,
  typeOf,
  wayOf,
  waysOf,
  withType,
  withWay,
  type StepValue,
} from './step-forms.js';
import { OutcomeOfStep, RunButton } from './step-outcome.js';
import type { StepOutcome } from './step-outcomes.js';
import classes from './steps.module.css';
import type { StartableRun } from './use-step-runs.js';

interface StepCardProps {
  readonly step: StepValue;
  readonly place: { readonly index: number; readonly count: number };
  readonly run: StartableRun | undefined;
  readonly outcome: StepOutcome;
  readonly disabled: boolean;
  readonly onChange: (step: StepValue) => void;
  readonly onMove: (to: number) => void;
  readonly onRemove: () => void;
}

/** One step: its type, its fields, and the page after it. */
export function StepCard(props: StepCardProps) {
  const { step, place, run, outcome, disabled, onChange } = props;
  return (
    <li
      className={classes.step}
      aria-label={`Step ${place.index + 1}, ${typeOf(step)}`}
      data-faulty={outcome.faults.length > 0 || undefined}
    >
      <StepHead {...props} />
      <Ways step={step} disabled={disabled} onChange={onChange} />
      <Fields {...props} />
      <div>
        <RunButton index={place.index} run={run} disabled={disabled} />
      </div>
      <OutcomeOfStep index={place.index} outcome={outcome} />
    </li>
  );
}

function StepHead({ step, place, disabled, onChange, onMove, onRemove }: StepCardProps) {
  const { index, count } = place;
  const name = `step ${index + 1}`;
  return (
    <div className={classes.head}>
      <span className={classes.number} aria-hidden>
        {index + 1}
      </span>
      <Select
        flex="1 1 7rem"
        data={STEP_TYPES}
        value={typeOf(step)}
        allowDeselect={false}
        disabled={disabled}
        aria-label={`Type of ${name}`}
        onChange={(type) => type !== null && onChange(withType(step, type))}
      />
      <ActionIcon
        aria-label={`Move ${name} up`}
        disabled={disabled || index === 0}
        onClick={() => onMove(index - 1)}
      >
        <ArrowUpIcon />
      </ActionIcon>
      <ActionIcon
        aria-label={`Move ${name} down`}
        disabled={disabled || index === count - 1}
        onClick={() => onMove(index + 1)}
      >
        <ArrowDownIcon />
      </ActionIcon>
      <ActionIcon aria-label={`Remove ${name}`} disabled={disabled} onClick={onRemove}>
        <Cross2Icon />
      </ActionIcon>
    </div>
  );
}

/** What the step does, where its type may do several things. */
function Ways({ step, disabled, onChange }: Pick<StepCardProps, 'step' | 'disabled' | 'onChange'>) {
  const ways = waysOf(step);
  if (ways.length === 0) return null;
  return (
    <SegmentedControl
      fullWidth
      data={[...ways]}
      value={wayOf(step) ?? ''}
      disabled={disabled}
      aria-label={typeOf(step) === 'wait' ? 'What is waited for' : 'What is typed'}
      onChange={(way) => onChange(withWay(step, way))}
    />
  );
}

function Fields({ step, place, disabled, onChange }: StepCardProps) {
  const { usual, rare } = fieldsOf(step);
  const [isOpen, setIsOpen] = useState(false);
  // What is stated is never out of sight.
  const shown = rare.filter(({ name }) => isOpen || step[name] !== undefined);
  return (
    <>
      {[...usual, ...shown].map((field) => (
        <StepField key={field.name} {...{ field, step, disabled, onChange }} index={place.index} />
      ))}
      {shown.length < rare.length && (
        <UnstyledButton
          fz="xs"
          c="dimmed"
          td="underline"
          w="fit-content"
          aria-label={`More fields of step ${place.index + 1}`}
          onClick={() => setIsOpen(true)}
        >
          more fields
        </UnstyledButton>
      )}
    </>
  );
}
