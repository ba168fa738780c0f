import { ActionIcon, Button, Group, Input, PasswordInput, Stack, TextInput } from '@mantine/core';
import { Cross2Icon, PlusIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { isSame, isSecret } from '../form/options.js';
import { shown, type FieldProps } from './field-props.js';

type Pair = readonly [name: string, value: string];

const EMPTY: Pair = ['', ''];

/** Names and values, such as headers. Lines without a name are not part of the request. */
export function MapField({ option, id, value, fault, disabled, onChange }: FieldProps) {
  const [pairs, setPairs] = useState<readonly Pair[]>(() => pairsOf(value));
  // The JSON or a reset may have changed the value meanwhile.
  const lines = isSame(mapOf(pairs) ?? {}, value ?? {}) ? pairs : pairsOf(value);
  const change = (next: readonly Pair[]) => {
    setPairs(next);
    onChange(mapOf(next));
  };
  return (
    <Input.Wrapper error={fault}>
      <Stack gap={6}>
        {lines.map(([name, text], i) => (
          <Line
            {...{ option, name, text, disabled, id }}
            key={i}
            at={i}
            onChange={(pair) => change(lines.map((each, at) => (at === i ? pair : each)))}
            onRemove={() => change(lines.filter((_, each) => each !== i))}
          />
        ))}
        <Button
          {...(lines.length === 0 && { id })}
          variant="default"
          size="compact-xs"
          leftSection={<PlusIcon aria-hidden />}
          disabled={disabled}
          onClick={() => setPairs([...lines, EMPTY])}
          w="fit-content"
        >
          Add a line
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

interface LineProps extends Pick<FieldProps, 'option' | 'id' | 'disabled'> {
  readonly at: number;
  readonly name: string;
  readonly text: string;
  readonly onChange: (pair: Pair) => void;
  readonly onRemove: () => void;
}

function Line({ option, id, at, name, text, disabled, onChange, onRemove }: LineProps) {
  const ValueInput = isSecret(option) ? PasswordInput : TextInput;
  return (
    <Group gap={6} wrap="nowrap">
      <TextInput
        {...(at === 0 && { id })}
        flex={1}
        value={name}
        placeholder="Name"
        aria-label={`Name ${at + 1} of ${option.name}`}
        disabled={disabled}
        onChange={(event) => onChange([event.currentTarget.value, text])}
      />
      <ValueInput
        flex={1}
        size="xs"
        value={text}
        placeholder="Value"
        autoComplete="new-password"
        aria-label={`Value ${at + 1} of ${option.name}`}
        disabled={disabled}
        onChange={(event) => onChange([name, event.currentTarget.value])}
      />
      <ActionIcon
        aria-label={`Remove line ${at + 1} of ${option.name}`}
        disabled={disabled}
        onClick={onRemove}
      >
        <Cross2Icon />
      </ActionIcon>
    </Group>
  );
}

function pairsOf(value: unknown): Pair[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).map(([name, text]) => [name, shown(text)]);
}

function mapOf(pairs: readonly Pair[]): Record<string, string> | undefined {
  const named = pairs.filter(([name]) => name !== '');
  return named.length === 0 ? undefined : Object.fromEntries(named);
}
