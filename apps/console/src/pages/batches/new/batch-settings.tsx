import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { DefaultOptions } from './default-options.js';
import type { Draft, DraftEditor } from './use-draft.js';

interface BatchSettingsProps {
  readonly draft: Draft;
  readonly change: DraftEditor['change'];
}

/** What applies to the batch as a whole. */
export function BatchSettings({ draft, change }: BatchSettingsProps) {
  return (
    <Stack gap="md">
      <InvalidRows draft={draft} change={change} />
      <Stack gap={4}>
        <Text size="xs" fw={500}>
          Options for all rows
        </Text>
        <Text size="xs" c="dimmed">
          Used for each row that does not set the option itself.
        </Text>
        <DefaultOptions defaults={draft.defaults} onChange={(defaults) => change({ defaults })} />
      </Stack>
      <TextInput
        label="Webhook at the end"
        description="A public URL that receives batch.completed or batch.canceled."
        placeholder="https://example.com/hook"
        type="url"
        value={draft.webhookUrl}
        onChange={(event) => change({ webhookUrl: event.currentTarget.value.trim() })}
      />
    </Stack>
  );
}

/** Whether rows that are not valid end the batch. */
function InvalidRows({ draft, change }: BatchSettingsProps) {
  return (
    <Radio.Group
      label="If a row is not valid"
      value={draft.onInvalid}
      onChange={(value) => change({ onInvalid: value })}
      size="xs"
    >
      <Stack gap={8} mt={6}>
        <Radio
          value="reject"
          label="Refuse the whole batch"
          description="Nothing is stored until every row is valid."
        />
        <Radio
          value="skip"
          label="Skip the row"
          description="The valid rows are captured. The others are listed as failed with the reason, and cost nothing."
        />
      </Stack>
    </Radio.Group>
  );
}
