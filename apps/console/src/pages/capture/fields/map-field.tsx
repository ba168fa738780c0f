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
  const replace = (at: number, pair: Pair) => change(lines.map((each, i) => (i === at ? pair : each)));
  const ValueInput = isSecret(option) ? PasswordInput : TextInput;
  return (
    <Input.Wrapper error={fault}>
      <Stack gap={6}>
        {lines.map(([name, text], i) => (
          <Group key={i} gap={6} wrap="nowrap">
            <TextInput
              {...(i === 0 && { id })}
              flex={1}
              value={name}
              placeholder="Name"
              aria-label={`Name ${i + 1} of ${option.name}`}
              disabled={disabled}
              onChange={(event) => replace(i, [event.currentTarget.value, text])}
            />
            <ValueInput
              flex={1}
              size="xs"
              value={text}
              placeholder="Value"
              autoComplete="off"
              aria-label={`Value ${i + 1} of ${option.name}`}
              disabled={disabled}
              onChange={(event) => replace(i, [name, event.currentTarget.value])}
            />
            <ActionIcon
              aria-label={`Remove line ${i + 1} of ${option.name}`}
              disabled={disabled}
              onClick={() => change(lines.filter((_, each) => each !== i))}
            >
              <Cross2Icon />
            </ActionIcon>
          </Group>
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

function pairsOf(value: unknown): Pair[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).map(([name, text]) => [name, shown(text)]);
}

function mapOf(pairs: readonly Pair[]): Record<string, string> | undefined {
  const named = pairs.filter(([name]) => name !== '');
  return named.length === 0 ? undefined : Object.fromEntries(named);
}
