import { ActionIcon, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { OPTION_CATALOGUE, type CatalogueOption } from '@capture-service/client';
import { Cross2Icon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { defaultText, readValue } from './option-values.js';

const OPTIONS = new Map(OPTION_CATALOGUE.map((option) => [option.name, option]));

interface DefaultOptionsProps {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly onChange: (defaults: Readonly<Record<string, unknown>>) => void;
  /** What the field says that adds one. */
  readonly label?: string;
  /** Options that cannot be chosen. */
  readonly without?: readonly string[];
  /** What is wrong, by the name of the option. */
  readonly faults?: ReadonlyMap<string, string>;
}

/** Options of every capture that does not set them itself. */
export function DefaultOptions({
  label = 'Add an option for all rows',
  without = [],
  ...props
}: DefaultOptionsProps) {
  const { defaults, onChange, faults } = props;
  const chosen = Object.keys(defaults);
  const taken = [...chosen, ...without];
  const free = OPTION_CATALOGUE.filter(({ name }) => !taken.includes(name)).map(({ name }) => name);
  return (
    <Stack gap={6}>
      {chosen.map((name) => (
        <DefaultOption
          key={name}
          option={OPTIONS.get(name)}
          value={defaults[name]}
          fault={faults?.get(name)}
          onChange={(value) => onChange({ ...defaults, [name]: value })}
          onRemove={() => onChange(defaultsWithout(defaults, name))}
        />
      ))}
      <Select
        aria-label={label}
        placeholder={label}
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
  readonly fault: string | undefined;
  readonly onChange: (value: unknown) => void;
  readonly onRemove: () => void;
}

function DefaultOption({ option, value, fault, onChange, onRemove }: DefaultOptionProps) {
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
          error={fault}
          w={150}
        />
      ) : (
        <ValueInput option={option} value={value} fault={fault} onChange={onChange} />
      )}
      <ActionIcon onClick={onRemove} aria-label={`Remove ${name}`} mt={3}>
        <Cross2Icon />
      </ActionIcon>
    </Group>
  );
}

/** What is typed stays as it is, also while it is no value yet. */
function ValueInput({ option, value, fault, onChange }: Omit<DefaultOptionProps, 'onRemove'>) {
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
      error={fault}
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
