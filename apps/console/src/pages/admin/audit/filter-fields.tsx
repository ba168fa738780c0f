import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import { isoOf, localOf } from '../../captures/local-time.js';
import { ACTIONS, type FilterName, type Filters } from './audit-filters.js';

interface FieldsProps {
  readonly filters: Filters;
  readonly apply: (name: FilterName, value: string) => void;
}

const CHOICES = Object.entries(ACTIONS).map(([value, label]) => ({ value, label }));
const IDS = [
  ['account_id', 'Account', 'The id of an account'],
  ['subject_id', 'What was changed', 'The id of an account, key, worker or batch'],
  ['actor_key_id', 'Made with the key', 'The id of a key'],
] as const satisfies readonly (readonly [FilterName, string, string])[];

/** All filters of the API. Times are in the time zone of the browser. */
export function FilterFields({ filters, apply }: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" role="group" aria-label="Filters">
      <Select
        label="Change"
        placeholder="Any"
        data={CHOICES}
        value={filters.action ?? null}
        clearable
        onChange={(value) => apply('action', value ?? '')}
      />
      {IDS.map(([name, label, placeholder]) => (
        <IdField
          // A filter that is removed elsewhere empties its field.
          key={`${name} ${filters[name] ?? ''}`}
          value={filters[name] ?? ''}
          label={label}
          placeholder={placeholder}
          onCommit={(value) => apply(name, value)}
        />
      ))}
      <TimeField
        label="After"
        value={filters.created_after}
        onTime={(time) => apply('created_after', time)}
      />
      <TimeField
        label="Before"
        value={filters.created_before}
        onTime={(time) => apply('created_before', time)}
      />
    </SimpleGrid>
  );
}

interface IdFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onCommit: (value: string) => void;
}

function IdField({ label, placeholder, value, onCommit }: IdFieldProps) {
  const [text, setText] = useState(value);
  const commit = () => {
    if (text.trim() !== value) onCommit(text.trim());
  };
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={({ key }: KeyboardEvent) => {
        if (key === 'Enter') commit();
      }}
    />
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onTime: (iso: string) => void;
}

function TimeField({ label, value, onTime }: TimeFieldProps) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={localOf(value)}
      onChange={(event) => onTime(isoOf(event.currentTarget.value))}
    />
  );
}
