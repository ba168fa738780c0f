import { Code, Group, Loader, SegmentedControl, Skeleton, Stack, Table, Text } from '@mantine/core';
import type { DeliveryRecord } from '@capture-service/client';
import { useParams } from 'wouter';
import { useState } from 'react';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { CopyButton } from '../../ui/copy-button.js';
import { duration, time } from '../../ui/format.js';
import { BackLink } from '../../ui/back-link.js';
import { PageHeader } from '../../ui/page-header.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { prettyBody } from './attempt-text.js';
import { DeliveryFacts } from './delivery-facts.js';
import { SignaturePanel } from './signature-panel.js';
import { useDelivery, useReplay } from './webhook-queries.js';
import classes from './webhooks.module.css';

/** One delivery: its state as it changes, its attempts, what was sent, and a replay. */
export default function DeliveryPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error, refetch } = useDelivery(id);
  return (
    <Stack gap="md">
      <BackLink href="/webhooks">Webhooks</BackLink>
      <PageHeader title={data?.type ?? 'Delivery'}>{data && <Replay delivery={data} />}</PageHeader>
      {data && <Delivery delivery={data} />}
      {!data && error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h="24rem" role="status" aria-label="Loading" />}
    </Stack>
  );
}

function Delivery({ delivery }: { readonly delivery: DeliveryRecord }) {
  return (
    <>
      <Group gap="xs" role="status">
        <StatusBadge status={delivery.state} />
        {delivery.state === 'pending' && <Loader size={12} aria-hidden />}
        <Text c="dimmed">{stateText(delivery)}</Text>
      </Group>
      <DeliveryFacts delivery={delivery} />
      <AttemptsPanel delivery={delivery} />
      <BodyPanel body={delivery.body} />
      <SignaturePanel delivery={delivery} />
    </>
  );
}

function stateText({ state, attempts }: DeliveryRecord): string {
  if (state === 'pending')
    return attempts === 0 ? 'The first attempt starts soon.' : 'It will be tried again.';
  if (state === 'delivered') return 'The endpoint accepted it with a 2xx status.';
  if (state === 'failed') return 'All attempts failed. There will be no more unless you replay it.';
  return 'The endpoint answered 410 (gone), so it receives no more webhooks until you replay or test it.';
}

function Replay({ delivery }: { readonly delivery: DeliveryRecord }) {
  const { mutateAsync, isPending, error, reset } = useReplay(delivery.id);
  return (
    <ConfirmButton
      label="Replay"
      title="Replay this delivery?"
      onConfirm={mutateAsync}
      isPending={isPending}
      error={error}
      onOpen={reset}
    >
      <Text className="breaks">
        The same body is sent again at once to <bdi>{delivery.url}</bdi> with the same webhook-id, so that a
        receiver can tell it from a new event. The schedule of its attempts starts again.
      </Text>
    </ConfirmButton>
  );
}

/** The attempts, newest first. */
function AttemptsPanel({ delivery: { log, attempts } }: { readonly delivery: DeliveryRecord }) {
  return (
    <Panel
      title="Attempts"
      aside={<Text c="dimmed">{`${attempts} since the event or the last replay`}</Text>}
    >
      {log.length === 0 ? (
        <Text c="dimmed">None yet.</Text>
      ) : (
        <Table.ScrollContainer minWidth={560} type="native" tabIndex={0} role="group" aria-label="Attempts">
          <Table className="numeric">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Time</Table.Th>
                <Table.Th scope="col">Status</Table.Th>
                <Table.Th scope="col">Error</Table.Th>
                <Table.Th scope="col" ta="right">
                  Duration
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {log.toReversed().map((attempt) => (
                <Table.Tr key={attempt.at}>
                  <Table.Td>{time(attempt.at)}</Table.Td>
                  <Table.Td>{attempt.status ?? 'no response'}</Table.Td>
                  <Table.Td className="breaks">{attempt.error ?? '–'}</Table.Td>
                  <Table.Td ta="right">{duration(attempt.duration_ms)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  );
}

/** The body as text: indented to be read, or as it is sent and signed. */
function BodyPanel({ body }: { readonly body: string }) {
  const [form, setForm] = useState('Indented');
  return (
    <Panel
      title="Body"
      aside={
        <Group gap="xs">
          <SegmentedControl
            aria-label="Form of the body"
            data={['Indented', 'As sent']}
            value={form}
            onChange={setForm}
          />
          <CopyButton value={body} label="the body as sent" />
        </Group>
      }
    >
      <Code block className={classes.body} tabIndex={0} role="region" aria-label="Body of the request">
        {form === 'Indented' ? prettyBody(body) : body}
      </Code>
    </Panel>
  );
}
