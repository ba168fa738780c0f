import {
  Autocomplete,
  NumberInput,
  PasswordInput,
  Select,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { shown } from '../fields/field-props.js';
import { schemaFault } from '../form/schema-fault.js';
import { withField, type StepField as Field, type StepValue } from './step-forms.js';
import { useStepsForm } from './steps-context.js';

interface StepFieldProps {
  readonly field: Field;
  readonly step: StepValue;
  readonly index: number;
  readonly disabled: boolean;
  readonly onChange: (step: StepValue) => void;
}

interface ControlProps {
  readonly field: Field;
  readonly value: unknown;
  readonly shared: {
    readonly label: string;
    readonly 'aria-label': string;
    readonly disabled: boolean;
    readonly error: string | undefined;
  };
  readonly set: (value: unknown) => void;
}

/** One field of a step; for a secret also its value, which stands in `secrets`. */
export function StepField({ field, step, index, disabled, onChange }: StepFieldProps) {
  const { name, schema } = field;
  const value = step[name];
  const label = name === 'ms' || name === 'timeout_ms' ? `${name} (milliseconds)` : name;
  const shared = {
    label,
    'aria-label': `${name} of step ${index + 1}`,
    disabled,
    error: value === undefined ? undefined : schemaFault(schema, value),
  };
  const set = (next: unknown) => onChange(withField(step, name, next));
  return <Control {...{ field, value, shared, set }} />;
}

function Control(props: ControlProps) {
  const { name, schema } = props.field;
  if (name === 'secret' || name === 'totp') return <SecretControl {...props} />;
  if (schema.enum) return <ChoiceControl {...props} />;
  if (schema.type === 'boolean') return <SwitchControl {...props} />;
  if (schema.type === 'integer') return <NumberControl {...props} />;
  return schema.type === 'array' ? <ListControl {...props} /> : <TextControl {...props} />;
}

function placeholderOf({ schema }: Field): string {
  return schema.example === undefined ? '' : `e.g. ${shown(schema.example)}`;
}

function TextControl({ field, value, shared, set }: ControlProps) {
  return (
    <TextInput
      {...shared}
      value={value === undefined ? '' : shown(value)}
      placeholder={placeholderOf(field)}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

function NumberControl({ field, value, shared, set }: ControlProps) {
  return (
    <NumberInput
      {...shared}
      value={typeof value === 'number' ? value : ''}
      placeholder={defaultIn(field) ?? placeholderOf(field)}
      min={field.schema.minimum}
      max={field.schema.maximum}
      clampBehavior="none"
      onChange={set}
    />
  );
}

function SwitchControl({ field, value, shared, set }: ControlProps) {
  const byDefault = defaultIn(field) === 'true';
  return (
    <Switch
      {...shared}
      checked={typeof value === 'boolean' ? value : byDefault}
      onChange={({ currentTarget: { checked } }) => set(checked === byDefault ? undefined : checked)}
    />
  );
}

function ChoiceControl({ field, value, shared, set }: ControlProps) {
  return (
    <Select
      {...shared}
      data={[...(field.schema.enum ?? [])]}
      value={typeof value === 'string' ? value : null}
      placeholder={defaultIn(field) ?? 'not set'}
      clearable
      onChange={(next) => set(next ?? undefined)}
    />
  );
}

function ListControl({ field, value, shared, set }: ControlProps) {
  return (
    <TagsInput
      {...shared}
      value={Array.isArray(value) ? value.map(String) : []}
      placeholder={Array.isArray(value) && value.length > 0 ? '' : placeholderOf(field)}
      onChange={(next) => set(next.length === 0 ? undefined : next)}
    />
  );
}

/** The name of a secret, and its value. */
function SecretControl({ field, value, shared, set }: ControlProps) {
  const { form, set: setOption } = useStepsForm();
  const secrets = secretsIn(form.values.secrets);
  const name = shown(value);
  return (
    <>
      <Autocomplete
        size="xs"
        {...shared}
        label={field.name === 'totp' ? 'Name of the seed' : 'Name of the secret'}
        data={Object.keys(secrets)}
        value={name}
        placeholder={placeholderOf(field)}
        autoComplete="off"
        onChange={set}
      />
      <PasswordInput
        size="xs"
        label={field.name === 'totp' ? 'Seed of the authenticator (Base32)' : 'Value of the secret'}
        aria-label={`${field.name === 'totp' ? 'Seed' : 'Value'} for ${shared['aria-label']}`}
        value={Object.hasOwn(secrets, name) ? secrets[name] : ''}
        disabled={shared.disabled || name === ''}
        autoComplete="new-password"
        onChange={({ currentTarget }) => setOption('secrets', { ...secrets, [name]: currentTarget.value })}
      />
    </>
  );
}

function secretsIn(value: unknown): Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
}

/** The API document says it in words. */
function defaultIn({ schema }: Field): string | undefined {
  const [, byDefault] = /(?:Default: `([^`]*)`|`(\w+)` by default)/.exec(schema.description ?? '') ?? [];
  return byDefault;
}
