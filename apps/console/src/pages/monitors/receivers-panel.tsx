import { ActionIcon, Button, Group, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import type { MonitorRecord } from '@capture-service/client';
import { Cross2Icon, PlusIcon } from '@radix-ui/react-icons';
import { Panel } from '../../ui/panel.js';
import type { ReceiverDraft, ReceiverKind } from './monitor-draft.js';
import type { DraftProps } from './schedule-panel.js';

const KINDS = [
  { value: 'slack', label: 'Slack' },
  { value: 'discord', label: 'Discord' },
  { value: 'teams', label: 'Teams' },
  { value: 'email', label: 'Mail' },
];
/** As the service allows. */
const MAX_RECEIVERS = 10;

interface ReceiversProps extends DraftProps {
  /** Those that the monitor has, whose addresses are not shown. */
  readonly present: MonitorRecord['notify'];
}

/** The receivers of events: programs by a webhook, people in a chat or by mail. */
export function ReceiversPanel({ draft, change, present }: ReceiversProps) {
  const isKept = present.length > 0 && !draft.replacesReceivers;
  return (
    <Panel title="Receivers (optional)">
      <Stack gap="sm">
        <TextInput
          label="Webhook"
          description="Receives each event as JSON, signed."
          placeholder="https://example.com/hook"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={draft.webhookUrl}
          onChange={(event) => change({ webhookUrl: event.currentTarget.value })}
        />
        {isKept ? <Present present={present} change={change} /> : <People {...{ draft, change, present }} />}
      </Stack>
    </Panel>
  );
}

/** The receivers that the monitor has, which are only replaced as a whole. */
function Present({ present, change }: Pick<ReceiversProps, 'present' | 'change'>) {
  return (
    <>
      <Text c="dimmed" size="sm" component="div" className="breaks">
        {present.map((one, i) => (
          <div key={i}>{`${one.type}: ${'to' in one ? one.to : one.url}`}</div>
        ))}
      </Text>
      <Group>
        <Button variant="default" onClick={() => change({ replacesReceivers: true })}>
          Replace these receivers
        </Button>
      </Group>
    </>
  );
}

function People({ draft, change, present }: ReceiversProps) {
  const { receivers } = draft;
  const replace = (at: number, next: ReceiverDraft | null) =>
    change({ receivers: receivers.flatMap((each, i) => (i === at ? (next ?? []) : each)) });
  return (
    <>
      <Text c="dimmed" size="sm">
        {present.length > 0 && 'Only those that you add receive events from then on. '}
        Addresses of chats and mails are encrypted, and never shown again.
      </Text>
      {receivers.map((receiver, i) => (
        <ReceiverFields key={i} number={i + 1} receiver={receiver} replace={(next) => replace(i, next)} />
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<PlusIcon />}
          disabled={receivers.length >= MAX_RECEIVERS}
          onClick={() => change({ receivers: [...receivers, { type: 'slack', address: '' }] })}
        >
          Add a chat or a mail address
        </Button>
        {present.length > 0 && (
          <Button variant="default" onClick={() => change({ receivers: [], replacesReceivers: false })}>
            Keep those that it has
          </Button>
        )}
      </Group>
    </>
  );
}

interface ReceiverFieldsProps {
  readonly number: number;
  readonly receiver: ReceiverDraft;
  readonly replace: (receiver: ReceiverDraft | null) => void;
}

function ReceiverFields({ number, receiver, replace }: ReceiverFieldsProps) {
  const isMail = receiver.type === 'email';
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <Select
        aria-label={`Kind of receiver ${number}`}
        w={110}
        allowDeselect={false}
        data={KINDS}
        value={receiver.type}
        onChange={(type) => replace({ ...receiver, type: (type ?? 'slack') as ReceiverKind })}
      />
      <PasswordInput
        label={isMail ? `Mail address ${number}` : `Address of the incoming webhook ${number}`}
        flex={1}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': `Show the address ${number}` }}
        value={receiver.address}
        onChange={(event) => replace({ ...receiver, address: event.currentTarget.value })}
      />
      <ActionIcon
        variant="default"
        size={34}
        aria-label={`Remove receiver ${number}`}
        onClick={() => replace(null)}
      >
        <Cross2Icon />
      </ActionIcon>
    </Group>
  );
}
