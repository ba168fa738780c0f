import { ActionIcon, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { OPTION_CATALOGUE, type CatalogueOption } from '@capture-service/client';
import { Cross2Icon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { defaultText, readValue } from './option-values.js';

const OPTIONS = new Map(OPTION_CATALOGUE.map((option) => [option.name, option]));

interface DefaultOptionsProps {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly onChange: (defaults: Readonly<Record<string, unknown>>) => void;
}

/** Options of every row that does not set them itself. */
export function DefaultOptions({ defaults, onChange }: DefaultOptionsProps) {
  const chosen = Object.keys(defaults);
  const free = OPTION_CATALOGUE.filter(({ name }) => !chosen.includes(name)).map(({ name }) => name);
  return (
    <Stack gap={6}>
      {chosen.map((name) => (
        <DefaultOption
          key={name}
          option={OPTIONS.get(name)}
          value={defaults[name]}
          onChange={(value) => onChange({ ...defaults, [name]: value })}
          onRemove={() => onChange(defaultsWithout(defaults, name))}
        />
      ))}
      <Select
        aria-label="Add an option for all rows"
        placeholder="Add an option for all rows"
        data={free}
        value={null}
        onChange={(name) => name !== null && onChange({ ...defaults, [name]: initialOf(OPTIONS.get(name)) })}
        searchable
        nothingFoundMessage="No such option"
        maxDropdownHeight={280}
      />
    </Stack>
  );
}

interface DefaultOptionProps {
  readonly option: CatalogueOption | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onRemove: () => void;
}

function DefaultOption({ option, value, onChange, onRemove }: DefaultOptionProps) {
  if (!option) return null;
  const { name, schema } = option;
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <Text ff="monospace" size="xs" flex={1} pt={7} className="breaks">
        {name}
      </Text>
      {choices ? (
        <Select
          aria-label={name}
          data={[...choices]}
          value={String(value)}
          onChange={(text) => text !== null && onChange(readValue(schema, text))}
          allowDeselect={false}
          w={150}
        />
      ) : (
        <ValueInput option={option} value={value} onChange={onChange} />
      )}
      <ActionIcon onClick={onRemove} aria-label={`Remove ${name}`} mt={3}>
        <Cross2Icon />
      </ActionIcon>
    </Group>
  );
}

/** What is typed stays as it is, also while it is no value yet. */
function ValueInput({ option, value, onChange }: Omit<DefaultOptionProps, 'onRemove'>) {
  const [text, setText] = useState(() => defaultText(value));
  if (!option) return null;
  const { schema } = option;
  return (
    <TextInput
      aria-label={option.name}
      type={option.exposure === 'secret' ? 'password' : 'text'}
      autoComplete="off"
      placeholder={option.example === undefined ? undefined : defaultText(option.example)}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(readValue(schema, currentTarget.value));
      }}
      inputMode={schema.type === 'integer' || schema.type === 'number' ? 'decimal' : 'text'}
      w={150}
    />
  );
}

function initialOf(option: CatalogueOption | undefined): unknown {
  if (option?.schema.type === 'boolean') return option.default !== true;
  return option?.default ?? option?.schema.enum?.[0] ?? '';
}

function defaultsWithout(defaults: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(defaults).filter(([each]) => each !== name));
}
