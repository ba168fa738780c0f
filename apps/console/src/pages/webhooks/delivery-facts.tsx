import { Anchor, Group, Text } from '@mantine/core';
import type { DeliveryRecord } from '@capture-service/client';
import { Link } from 'wouter';
import { Facts } from '../../ui/facts.js';
import { CopyButton } from '../../ui/copy-button.js';
import { time } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { TimeText } from '../../ui/time-text.js';

/** To whom it is sent, about what, and when. */
export function DeliveryFacts({ delivery }: { readonly delivery: DeliveryRecord }) {
  return (
    <Panel title="Delivery">
      <Facts
        facts={[
          {
            label: 'Endpoint',
            value: (
              <Group gap={4} wrap="nowrap" align="flex-start">
                <bdi>{delivery.url}</bdi>
                <CopyButton value={delivery.url} label="the URL" />
              </Group>
            ),
          },
          {
            label: 'webhook-id',
            value: (
              <Group gap={4} wrap="nowrap">
                <span>{delivery.id}</span>
                <CopyButton value={delivery.id} label="the id" />
              </Group>
            ),
          },
          { label: 'About', value: <Subject delivery={delivery} /> },
          { label: 'Created', value: time(delivery.created_at) },
          {
            label: delivery.finished_at === null ? 'Next attempt' : 'Finished',
            value: <When iso={delivery.finished_at ?? delivery.next_attempt_at} />,
          },
        ]}
      />
    </Panel>
  );
}

const SUBJECT_PAGES = { job: '/captures', batch: '/batches' };

function Subject({
  delivery: { subject_kind: kind, subject_id: id },
}: {
  readonly delivery: DeliveryRecord;
}) {
  if (kind === 'account') return <span>the account</span>;
  // The console has no pages of monitors.
  if (kind === 'monitor') return <span>monitor {id}</span>;
  return (
    <Anchor component={Link} href={`${SUBJECT_PAGES[kind]}/${id}`} fz="sm">
      {kind} {id}
    </Anchor>
  );
}

function When({ iso }: { readonly iso: string | null }) {
  if (iso === null) return <span>at once</span>;
  return (
    <span>
      {time(iso)}{' '}
      <Text span c="dimmed">
        (<TimeText iso={iso} />)
      </Text>
    </span>
  );
}
