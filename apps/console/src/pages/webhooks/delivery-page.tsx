import { Anchor, Group, Loader, Skeleton, Stack, Text } from '@mantine/core';
import { ArrowLeftIcon } from '@radix-ui/react-icons';
import type { DeliveryRecord } from '@capture-service/client';
import { Link, useParams } from 'wouter';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { AttemptsPanel } from './attempts-panel.js';
import { BodyPanel } from './body-panel.js';
import { DeliveryFacts } from './delivery-facts.js';
import { SignaturePanel } from './signature-panel.js';
import { useDelivery, useReplay } from './webhook-queries.js';

/** One delivery: its state as it changes, its attempts, what was sent, and a replay. */
export default function DeliveryPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error, refetch } = useDelivery(id);
  return (
    <Stack gap="md">
      <Anchor component={Link} href="/webhooks" underline="hover" fz="sm" w="fit-content">
        <Group gap={6} component="span">
          <ArrowLeftIcon aria-hidden /> Webhooks
        </Group>
      </Anchor>
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
