import { SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { Panel } from '../../../ui/panel.js';
import { faultOf, isLimit, LIMITS, RATES, type NumberSetting, type SettingsDraft } from './account-draft.js';

interface SettingsProps {
  readonly draft: SettingsDraft;
  readonly change: (changes: Partial<SettingsDraft>) => void;
  /** Whether an empty field stands for the default of the service. */
  readonly hasDefaults: boolean;
}

const PERIODS = [
  { value: 'month', label: 'Each month (UTC)' },
  { value: 'ever', label: 'Never renewed' },
];

/** The fields for what an account may do, and what it may have at once. */
export function SettingsFields(props: SettingsProps) {
  return (
    <>
      <Panel title="Work">
        <Stack gap="sm">
          <NumberFields settings={RATES} {...props} />
          <PeriodField {...props} />
          <TextInput
            label="Webhook"
            description="Receives events about the account, such as its usage."
            placeholder="https://example.com/webhooks/usage"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            value={props.draft.webhook_url}
            onChange={(event) => props.change({ webhook_url: event.currentTarget.value })}
          />
        </Stack>
      </Panel>
      <Panel title="Limits">
        <NumberFields settings={LIMITS} {...props} />
      </Panel>
    </>
  );
}

function PeriodField({ draft, change }: SettingsProps) {
  return (
    <Stack gap={4}>
      <Text fw={500}>Period of the allowance</Text>
      <SegmentedControl
        aria-label="Period of the allowance"
        data={PERIODS}
        value={draft.allowance_period}
        onChange={(period) => change({ allowance_period: period as SettingsDraft['allowance_period'] })}
      />
    </Stack>
  );
}

interface NumberFieldsProps extends SettingsProps {
  readonly settings: readonly NumberSetting[];
}

function NumberFields({ settings, ...props }: NumberFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {settings.map((setting) => (
        <NumberField key={setting.name} {...setting} {...props} />
      ))}
    </SimpleGrid>
  );
}

interface NumberFieldProps extends SettingsProps, NumberSetting {}

function NumberField({ name, label, help, draft, change, hasDefaults }: NumberFieldProps) {
  const text = draft[name];
  const hasDefault = hasDefaults && !isLimit(name);
  return (
    <TextInput
      label={label}
      description={help}
      inputMode="numeric"
      autoComplete="off"
      placeholder={hasDefault ? 'default' : undefined}
      error={hasDefault && text === '' ? undefined : faultOf(name, text)}
      value={text}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
}
