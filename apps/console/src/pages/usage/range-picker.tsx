import { Group, SegmentedControl, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { PRESETS, type DayRange } from './range.js';

interface RangePickerProps {
  readonly range: DayRange;
  readonly today: string;
  readonly children: ReactNode;
}

const CHOSEN = 'chosen';

/** The days that are shown, kept in the address of the page: presets, or a first and a last day. */
export function RangePicker({ range, today, children }: RangePickerProps) {
  const [, setSearch] = useSearchParams();
  const choose = (first: string, last: string) => {
    if (first !== '' && last !== '') setSearch({ from: first, to: last }, { replace: true });
  };
  const presets = PRESETS.map((days) => ({ value: String(days), label: `${days} days` }));
  return (
    <Group gap="sm" align="flex-end" justify="space-between">
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          aria-label="Range"
          data={[...presets, ...(range.preset === undefined ? [{ value: CHOSEN, label: 'Chosen' }] : [])]}
          value={String(range.preset ?? CHOSEN)}
          onChange={(days) => {
            if (days !== CHOSEN) setSearch({ days }, { replace: true });
          }}
        />
        <Group gap="sm" align="flex-end" wrap="nowrap">
          <DayField
            label="First day (UTC)"
            value={range.first}
            max={today}
            onChange={(day) => choose(day, range.last)}
          />
          <DayField
            label="Last day (UTC)"
            value={range.last}
            max={today}
            error={range.first > range.last && 'The last day is before the first day.'}
            onChange={(day) => choose(range.first, day)}
          />
        </Group>
      </Group>
      {children}
    </Group>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly max: string;
  readonly error?: string | false;
  readonly onChange: (day: string) => void;
}

function DayField({ error = false, onChange, ...field }: DayFieldProps) {
  return (
    <TextInput
      type="date"
      w="9rem"
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...field}
    />
  );
}
