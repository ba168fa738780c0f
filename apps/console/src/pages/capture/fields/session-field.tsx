import { Autocomplete } from '@mantine/core';
import { useSessions } from '../../sessions/session-queries.js';
import { shown, type FieldProps } from './field-props.js';

/** Offers the sessions of the account; an id is accepted as well. */
export function SessionField({ id, value, fault, disabled, onChange }: FieldProps) {
  const { data } = useSessions();
  const names = data?.pages.flatMap(({ items }) => items.map(({ name }) => name)) ?? [];
  return (
    <Autocomplete
      id={id}
      data={names}
      value={shown(value)}
      placeholder={names.length === 0 ? 'no sessions yet' : 'none'}
      autoComplete="off"
      spellCheck={false}
      error={fault}
      disabled={disabled}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  );
}
