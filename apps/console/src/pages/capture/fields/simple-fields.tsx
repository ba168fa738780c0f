import { NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { isSecret } from '../form/options.js';
import { shown, type FieldProps } from './field-props.js';

export function SwitchField({ id, value, fallback, fault, disabled, onChange }: FieldProps) {
  return (
    <Switch
      id={id}
      checked={(value ?? fallback) === true}
      error={fault}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

export function NumberField({ option, id, value, fallback, fault, disabled, onChange }: FieldProps) {
  const { type, minimum, maximum } = option.schema;
  const example = option.example === undefined ? '' : `e.g. ${shown(option.example)}`;
  return (
    <NumberInput
      id={id}
      value={typeof value === 'number' ? value : shown(value)}
      placeholder={fallback === undefined ? example : shown(fallback)}
      min={minimum}
      max={maximum}
      step={type === 'integer' ? 1 : 0.1}
      allowDecimal={type === 'number'}
      // What is out of range is said, and not changed.
      clampBehavior="none"
      error={fault}
      disabled={disabled}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  );
}

export function ChoiceField({ option, id, value, fallback, fault, disabled, onChange }: FieldProps) {
  return (
    <Select
      id={id}
      data={option.schema.enum}
      value={value === undefined ? null : shown(value)}
      placeholder={shown(fallback) || 'not set'}
      clearable
      allowDeselect={false}
      error={fault}
      disabled={disabled}
      onChange={(next) => onChange(next ?? undefined)}
    />
  );
}

export function TextField({ option, id, value, fallback, fault, disabled, onChange }: FieldProps) {
  const props = {
    id,
    value: shown(value),
    error: fault,
    disabled,
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange(event.currentTarget.value || undefined),
  };
  if (isSecret(option)) return <PasswordInput size="xs" {...props} autoComplete="new-password" />;
  const example = option.example === undefined ? '' : `e.g. ${shown(option.example)}`;
  return <TextInput {...props} placeholder={shown(fallback) || example} />;
}

export function LongTextField({ option, id, value, fault, disabled, onChange }: FieldProps) {
  return (
    <Textarea
      id={id}
      value={shown(value)}
      placeholder={option.example === undefined ? '' : `e.g. ${shown(option.example)}`}
      autosize
      minRows={2}
      maxRows={12}
      error={fault}
      disabled={disabled}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}
