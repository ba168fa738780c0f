import { Group, Input, NumberInput, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Panel } from '../../ui/panel.js';
import { scheduleOf, UNITS, type MonitorDraft, type Unit } from './monitor-draft.js';
import { NextRuns } from './next-runs.js';

export interface DraftProps {
  readonly draft: MonitorDraft;
  readonly change: (changes: Partial<MonitorDraft>) => void;
}

const KINDS = [
  { value: 'period', label: 'Every so often' },
  { value: 'cron', label: 'At certain times' },
];
/** A preview is asked for once a person has stopped typing. */
const TYPING_MS = 300;

/** When the page is checked, and the next times as the service counts them. */
export function SchedulePanel({ draft, change }: DraftProps) {
  const [text] = useDebouncedValue(JSON.stringify(scheduleOf(draft)), TYPING_MS);
  return (
    <Panel title="Schedule">
      <Stack gap="sm">
        <SegmentedControl
          aria-label="Kind of schedule"
          data={KINDS}
          value={draft.kind}
          onChange={(kind) => change({ kind: kind as MonitorDraft['kind'] })}
        />
        {draft.kind === 'period' ? (
          <PeriodFields draft={draft} change={change} />
        ) : (
          <CronFields draft={draft} change={change} />
        )}
        <Input.Wrapper label="Next checks" labelElement="div">
          <NextRuns schedule={JSON.parse(text) as ReturnType<typeof scheduleOf>} />
        </Input.Wrapper>
      </Stack>
    </Panel>
  );
}

function PeriodFields({ draft, change }: DraftProps) {
  return (
    <Group gap="xs" align="flex-end">
      <NumberInput
        label="Every"
        w={110}
        min={1}
        allowDecimal={false}
        value={draft.count}
        onChange={(count) => change({ count: Number(count) || 1 })}
      />
      <Select
        aria-label="Unit"
        w={130}
        allowDeselect={false}
        data={Object.keys(UNITS)}
        value={draft.unit}
        onChange={(unit) => change({ unit: (unit ?? 'hours') as Unit })}
      />
    </Group>
  );
}

function CronFields({ draft, change }: DraftProps) {
  return (
    <>
      <TextInput
        label="Cron expression"
        description="Minute, hour, day of the month, month, day of the week."
        autoComplete="off"
        spellCheck={false}
        value={draft.cron}
        onChange={(event) => change({ cron: event.currentTarget.value })}
      />
      <TextInput
        label="Time zone"
        autoComplete="off"
        spellCheck={false}
        value={draft.timezone}
        onChange={(event) => change({ timezone: event.currentTarget.value })}
      />
    </>
  );
}
