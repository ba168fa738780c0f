import { Input, PasswordInput } from '@mantine/core';
import { CaptureError, type FieldError } from '@capture-service/client';
import { useMemo } from 'react';
import { formOf } from '../capture/form/form-state.js';
import { OPTIONS } from '../capture/form/options.js';
import { ActionsField } from '../capture/steps/actions-field.js';
import { RecordingField } from '../capture/steps/recording-field.js';
import { StepsContext, type StepsForm } from '../capture/steps/steps-context.js';
import { secretNames, type DraftProps } from './session-draft.js';

/** The editor of steps of the playground. What it runs are captures of the page to log in at. */
export function LogInSteps({ draft, change, error }: DraftProps) {
  const { loginUrl, actions, recording, secrets } = draft;
  const form = useMemo(
    () => formOf({ url: loginUrl.trim(), secrets, ...(recording ? { recording } : { actions }) }),
    [loginUrl, actions, recording, secrets],
  );
  const context: StepsForm = {
    form,
    refused: refusedSteps(error),
    set: (name, value) => name === 'secrets' && change({ secrets: value as typeof secrets }),
  };
  return (
    <StepsContext value={context}>
      {!recording && (
        <Field name="actions" label="Steps">
          {(shared) => (
            <ActionsField
              {...shared}
              value={actions}
              onChange={(next) => change({ actions: (next ?? []) as typeof actions })}
            />
          )}
        </Field>
      )}
      {actions.length === 0 && (
        <Field name="recording" label="Or a recording">
          {(shared) => (
            <RecordingField
              {...shared}
              value={recording}
              onChange={(next) => change({ recording: next as typeof recording })}
            />
          )}
        </Field>
      )}
      {recording && <Secrets {...{ draft, change }} />}
    </StepsContext>
  );
}

/** The secrets that recorded steps name; those of other steps are typed into the steps. */
function Secrets({ draft, change }: Pick<DraftProps, 'draft' | 'change'>) {
  return secretNames(draft).map((name) => (
    <PasswordInput
      key={name}
      label={`Secret ${name}`}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': `Show the secret ${name}` }}
      value={draft.secrets[name] ?? ''}
      onChange={(event) => change({ secrets: { ...draft.secrets, [name]: event.currentTarget.value } })}
    />
  ));
}

interface FieldShellProps {
  readonly name: 'actions' | 'recording';
  readonly label: string;
  readonly children: (shared: SharedProps) => React.ReactNode;
}

interface SharedProps {
  readonly option: NonNullable<ReturnType<typeof OPTIONS.get>>;
  readonly id: string;
  readonly fallback: undefined;
  readonly fault: undefined;
  readonly disabled: false;
}

/** What a field of an option takes, around it the label. */
function Field({ name, label, children }: FieldShellProps) {
  const option = OPTIONS.get(name);
  if (!option) return null;
  const id = `log-in-${name}`;
  return (
    <div>
      <Input.Label htmlFor={id}>{label}</Input.Label>
      {children({ option, id, fallback: undefined, fault: undefined, disabled: false })}
    </div>
  );
}

/** The faults of steps, as those of a capture with them would be. */
function refusedSteps(error: Error | null): FieldError[] {
  if (!(error instanceof CaptureError)) return [];
  return error.errors.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\/login(?=\/)/, '') }));
}
