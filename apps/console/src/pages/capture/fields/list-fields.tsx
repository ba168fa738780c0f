import { MultiSelect, Select, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';
import { shown, type FieldProps } from './field-props.js';

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(shown) : []);
const unlessEmpty = (list: string[]): string[] | undefined => (list.length === 0 ? undefined : list);

export function TagsField({ option, id, value, fault, disabled, onChange }: FieldProps) {
  const [example] = textsOf(option.example);
  return (
    <TagsInput
      id={id}
      value={textsOf(value)}
      placeholder={example === undefined ? 'Press Enter to add' : `e.g. ${example}, then press Enter`}
      // A comma is part of CSS selectors.
      splitChars={[]}
      acceptValueOnBlur
      error={fault}
      disabled={disabled}
      onChange={(next) => onChange(unlessEmpty(next))}
    />
  );
}

export function ChoicesField({ option, id, value, fault, disabled, onChange }: FieldProps) {
  return (
    <MultiSelect
      id={id}
      data={option.schema.items?.enum}
      value={textsOf(value)}
      placeholder={textsOf(value).length === 0 ? 'none' : ''}
      clearable
      error={fault}
      disabled={disabled}
      onChange={(next) => onChange(unlessEmpty(next))}
    />
  );
}

/** The devices that the service can emulate. */
export function useDevices() {
  const { client } = useApi();
  return useQuery({
    queryKey: ['capture-form', 'devices'],
    queryFn: () => client.devices(),
    staleTime: Infinity,
  });
}

export function DeviceField({ id, value, fault, disabled, onChange }: FieldProps) {
  const { data = [] } = useDevices();
  const known = data.map((device) => ({
    value: device.id,
    label: `${device.name} · ${device.viewport_width} × ${device.viewport_height}`,
  }));
  const stated = shown(value);
  const isKnown = stated === '' || known.some(({ value: each }) => each === stated);
  return (
    <Select
      id={id}
      data={isKnown ? known : [{ value: stated, label: stated }, ...known]}
      value={value === undefined ? null : stated}
      placeholder="none"
      searchable
      clearable
      error={fault}
      disabled={disabled}
      onChange={(next) => onChange(next ?? undefined)}
    />
  );
}
