import { Badge, Box, Button, Popover, Select, Text, TextInput } from '@mantine/core';
import { MixerHorizontalIcon } from '@radix-ui/react-icons';
import { useState, type KeyboardEvent } from 'react';
import { ZONE } from '../../ui/format.js';
import classes from './captures-page.module.css';
import { CHOICES, LABELS, type FilterName, type Filters } from './filters.js';
import { isoOf, localOf } from './local-time.js';

interface FieldProps {
  readonly filters: Filters;
  readonly apply: (changes: Filters) => void;
}

const TEXTS = [
  ['search', 'A part of either'],
  ['host', 'example.com'],
  ['reference', 'The reference of your request'],
  ['batch_id', 'The id of a batch'],
] as const satisfies readonly (readonly [FilterName, string])[];

/** All filters of the API, behind a button. */
export function FilterFields({ filters, apply }: FieldProps) {
  const number = Object.keys(filters).length;
  return (
    <Popover width="min(26rem, calc(100vw - 2rem))" position="bottom-start" shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          flex="none"
          px={10}
          aria-label={number === 0 ? 'Filters' : `Filters, ${number} in use`}
        >
          <MixerHorizontalIcon aria-hidden />
          <Box component="span" visibleFrom="xs" ml={8}>
            Filters
          </Box>
          {number > 0 && <Badge ml={8}>{number}</Badge>}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filters">
        <Fields filters={filters} apply={apply} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Fields({ filters, apply }: FieldProps) {
  return (
    <div className={classes.filters}>
      {(Object.keys(CHOICES) as FilterName[]).map((name) => (
        <ChoiceField key={name} name={name} filters={filters} apply={apply} />
      ))}
      {TEXTS.map(([name, placeholder]) => (
        <TextField
          // A filter that is removed elsewhere empties its field.
          key={`${name} ${filters[name] ?? ''}`}
          name={name}
          placeholder={placeholder}
          filters={filters}
          apply={apply}
        />
      ))}
      <TimeField name="created_after" filters={filters} apply={apply} />
      <TimeField name="created_before" filters={filters} apply={apply} />
      <Text size="xs" c="dimmed" className={classes.wide}>
        Times are in your time zone, {ZONE}.
      </Text>
    </div>
  );
}

function ChoiceField({ name, filters, apply }: FieldProps & { readonly name: FilterName }) {
  const data = Object.entries(CHOICES[name] ?? {}).map(([value, label]) => ({ value, label }));
  return (
    <Select
      label={LABELS[name]}
      placeholder="Any"
      data={data}
      value={filters[name] ?? null}
      clearable
      comboboxProps={{ withinPortal: false }}
      onChange={(value) => apply({ [name]: value ?? '' })}
    />
  );
}

interface TextFieldProps extends FieldProps {
  readonly name: FilterName;
  readonly placeholder: string;
}

function TextField({ name, placeholder, filters, apply }: TextFieldProps) {
  const [text, setText] = useState(filters[name] ?? '');
  const commit = () => {
    if (text.trim() !== (filters[name] ?? '')) apply({ [name]: text.trim() });
  };
  return (
    <TextInput
      className={classes.wide}
      label={LABELS[name]}
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget: { value } }) => setText(value)}
      onBlur={commit}
      onKeyDown={({ key }: KeyboardEvent) => {
        if (key === 'Enter') commit();
      }}
    />
  );
}

function TimeField({ name, filters, apply }: FieldProps & { readonly name: FilterName }) {
  return (
    <TextInput
      className={classes.wide}
      type="datetime-local"
      label={LABELS[name]}
      value={localOf(filters[name])}
      onChange={({ currentTarget: { value } }) => apply({ [name]: isoOf(value) })}
    />
  );
}
