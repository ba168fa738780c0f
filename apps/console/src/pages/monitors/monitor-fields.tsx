import { NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { MonitorRecord } from '@capture-service/client';
import type { ReactNode } from 'react';
import { Panel } from '../../ui/panel.js';
import { ReceiversPanel } from './receivers-panel.js';
import { SchedulePanel, type DraftProps } from './schedule-panel.js';

interface MonitorFieldsProps extends DraftProps {
  /** The receivers that the monitor has. */
  readonly present?: MonitorRecord['notify'];
}

/** All fields of a monitor but its page. */
export function MonitorFields({ present, ...props }: MonitorFieldsProps) {
  return (
    <>
      <SchedulePanel {...props} />
      <ChangePanel {...props} />
      <ReceiversPanel {...props} present={present ?? []} />
    </>
  );
}

interface PagePanelProps extends DraftProps, Pick<NameFieldProps, 'withoutName'> {
  /** The names of the options that its captures have; without it those of the draft. */
  readonly options?: readonly string[];
  /** What there is to say about the page. */
  readonly children?: ReactNode;
}

/** The page of a monitor, its options, and its name. */
export function PagePanel({ draft, change, options, withoutName, children }: PagePanelProps) {
  const names = options ?? Object.keys(draft.options);
  return (
    <Panel title="Page">
      <Stack gap="sm">
        <TextInput
          label="Page to watch"
          placeholder="https://example.com/pricing"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={draft.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
        />
        <NameField draft={draft} change={change} withoutName={withoutName} />
        <Text c="dimmed" size="sm" className="breaks">
          {names.length > 0 ? `Options of the capture: ${names.join(', ')}.` : 'The capture has no options.'}
        </Text>
        {children}
      </Stack>
    </Panel>
  );
}

interface NameFieldProps extends DraftProps {
  /** What an empty field stands for. */
  readonly withoutName?: string | undefined;
}

export function NameField({ draft, change, withoutName = 'the host of the page' }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      description={`Empty: ${withoutName}.`}
      autoComplete="off"
      value={draft.name}
      onChange={(event) => change({ name: event.currentTarget.value })}
    />
  );
}

function ChangePanel({ draft, change }: DraftProps) {
  return (
    <Panel title="What counts as a change">
      <Stack gap="sm">
        <NumberInput
          label="Least change in percent"
          description="Smaller changes are no change."
          min={0}
          max={100}
          decimalScale={4}
          value={draft.leastPercent}
          onChange={(percent) => change({ leastPercent: Number(percent) || 0 })}
        />
        <NumberInput
          label="Captures that must show it"
          description="With 1 a change is reported at once."
          min={1}
          max={3}
          allowDecimal={false}
          value={draft.confirm}
          onChange={(confirm) => change({ confirm: Number(confirm) || 1 })}
        />
        <Textarea
          label="Elements that do not count"
          description="CSS selectors, one a line."
          placeholder=".clock"
          autosize
          minRows={1}
          autoComplete="off"
          spellCheck={false}
          value={draft.ignored}
          onChange={(event) => change({ ignored: event.currentTarget.value })}
        />
      </Stack>
    </Panel>
  );
}
