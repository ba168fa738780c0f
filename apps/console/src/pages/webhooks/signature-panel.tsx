import { Anchor, Code, Stack, Text } from '@mantine/core';
import type { DeliveryRecord } from '@capture-service/client';
import { DOCS_URL } from '../../api/client.js';
import { Facts, type Fact } from '../../ui/facts.js';
import { Panel } from '../../ui/panel.js';
import { timestampOf } from './attempt-text.js';

const SPECIFICATION =
  'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md';

/** The headers by which a receiver knows that a webhook is genuine. */
export function SignaturePanel({ delivery }: { readonly delivery: DeliveryRecord }) {
  return (
    <Panel title="Signature">
      <Stack gap="sm">
        <Facts facts={headersOf(delivery)} />
        <Text c="dimmed">
          Verify the body as it is sent, before it is parsed, with a library of{' '}
          <Anchor href={SPECIFICATION} target="_blank" rel="noreferrer noopener" fz="sm">
            Standard Webhooks
          </Anchor>{' '}
          or with the{' '}
          <Anchor href={DOCS_URL} target="_blank" rel="noreferrer" fz="sm">
            client of this service
          </Anchor>
          .
        </Text>
      </Stack>
    </Panel>
  );
}

function headersOf({ id, log }: DeliveryRecord): readonly Fact[] {
  const latest = log.at(-1);
  return [
    {
      label: 'webhook-id',
      value: (
        <>
          <Code>{id}</Code> the same for every attempt and replay, to detect duplicates
        </>
      ),
    },
    {
      label: 'webhook-timestamp',
      value: (
        <>
          <Code>{latest ? timestampOf(latest) : '…'}</Code> time of {latest ? 'the latest' : 'each'} attempt,
          in seconds
        </>
      ),
    },
    {
      label: 'webhook-signature',
      value: (
        <>
          <Code>v1,…</Code> HMAC-SHA256 of <Code>id.timestamp.body</Code> in Base64, one for each secret that
          signs, separated by spaces
        </>
      ),
    },
  ];
}
