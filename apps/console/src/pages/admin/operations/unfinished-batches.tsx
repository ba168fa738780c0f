import { Anchor, Table, Text } from '@mantine/core';
import type { QueueOverview } from '@capture-service/client';
import { Link } from 'wouter';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { count } from '../../../ui/format.js';
import { TimeText } from '../../../ui/time-text.js';
import classes from '../admin.module.css';
import { useBatchCancellation } from './operation-queries.js';

type Batch = QueueOverview['batches'][number];

/** The batches of all accounts that have not ended, each with a way to cancel it. */
export function UnfinishedBatches({ batches }: { readonly batches: readonly Batch[] }) {
  if (batches.length === 0) return <Text>No batch is in progress.</Text>;
  return (
    <Table.ScrollContainer
      minWidth={320}
      type="native"
      tabIndex={0}
      role="group"
      aria-label="Batches in progress"
    >
      <Table className={`numeric ${classes.table}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Account</Table.Th>
            <Table.Th scope="col" ta="right" visibleFrom="xs">
              Rows
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Waiting
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Running
            </Table.Th>
            <Table.Th scope="col" visibleFrom="xs">
              Accepted
            </Table.Th>
            <Table.Th scope="col">Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {batches.map((batch) => (
            <BatchRow key={batch.id} batch={batch} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface BatchProps {
  readonly batch: Batch;
}

function BatchRow({ batch }: BatchProps) {
  const { id, account, account_id: accountId, total, queued, running, created_at: createdAt } = batch;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} className="breaks" title={id}>
        <Anchor component={Link} href={`/admin/accounts/${accountId}`}>
          {account}
        </Anchor>
      </Table.Th>
      <Table.Td ta="right" visibleFrom="xs">
        {count(total)}
      </Table.Td>
      <Table.Td ta="right">{count(queued)}</Table.Td>
      <Table.Td ta="right">{count(running)}</Table.Td>
      <Table.Td visibleFrom="xs">
        <TimeText iso={createdAt} />
      </Table.Td>
      <Table.Td>
        <CancelButton batch={batch} />
      </Table.Td>
    </Table.Tr>
  );
}

function CancelButton({ batch: { id, account, queued, running } }: BatchProps) {
  const { mutateAsync, isPending, error, reset } = useBatchCancellation(id);
  return (
    <ConfirmButton
      label="Cancel all"
      title="Cancel this batch?"
      size="compact-xs"
      onConfirm={mutateAsync}
      isPending={isPending}
      error={error}
      onOpen={reset}
    >
      <Text className="breaks">
        The {count(queued + running)} rows of {account} that have not ended are canceled, also those that run.
        Nothing is charged for them, and it cannot be undone.
      </Text>
    </ConfirmButton>
  );
}
