import { Input, Select } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import type { FieldProps } from '../fields/field-props.js';
import { StepCard } from './step-card.js';
import { descriptionOf, MAX_STEPS, moved, STEP_TYPES, stepsOf, type StepValue } from './step-forms.js';
import { outcomeOf } from './step-outcomes.js';
import { useStepsForm } from './steps-context.js';
import classes from './steps.module.css';
import { useStepRuns } from './use-step-runs.js';

/** The steps before the picture: each is a card with its fields, and the page after it. */
export function ActionsField({ id, value, fault, disabled, onChange }: FieldProps) {
  const steps = stepsOf(value);
  const { refused } = useStepsForm();
  const runs = useStepRuns('actions', steps.length);
  const change = (next: readonly StepValue[]) => onChange(next.length === 0 ? undefined : next);
  return (
    <Input.Wrapper error={fault}>
      <ol className={classes.list} aria-label="Steps">
        {steps.map((step, index) => (
          <StepCard
            key={index}
            step={step}
            place={{ index, count: steps.length }}
            run={runs[index]}
            outcome={outcomeOf({ runs, refused, option: 'actions' }, index)}
            disabled={disabled}
            onChange={(next) => change(steps.with(index, next))}
            onMove={(to) => change(moved(steps, index, to))}
            onRemove={() => change(steps.toSpliced(index, 1))}
          />
        ))}
      </ol>
      <AddStep
        id={id}
        disabled={disabled || steps.length >= MAX_STEPS}
        onAdd={(type) => change([...steps, { type }])}
      />
    </Input.Wrapper>
  );
}

interface AddStepProps extends Pick<FieldProps, 'id' | 'disabled'> {
  readonly onAdd: (type: string) => void;
}

/** Choosing a type adds a step of it. */
function AddStep({ id, disabled, onAdd }: AddStepProps) {
  return (
    <Select
      id={id}
      mt={8}
      data={STEP_TYPES}
      value={null}
      placeholder="Add a step"
      aria-label="Add a step"
      leftSection={<PlusIcon aria-hidden />}
      maxDropdownHeight={420}
      disabled={disabled}
      renderOption={({ option: { value } }) => (
        <span>
          <strong>{value}</strong> <span className={classes.hint}>{descriptionOf(value)}</span>
        </span>
      )}
      onChange={(type) => type !== null && onAdd(type)}
    />
  );
}
