import { Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { hasEnded, type BatchRecord } from '@capture-service/client';
import { ReloadIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useApi } from '../../../api/client.js';
import { DownloadMenu } from '../../../ui/download-menu.js';
import { count } from '../../../ui/format.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { retryableRows } from '../batch-counts.js';

interface BatchActionsProps {
  readonly batch: BatchRecord;
  readonly onFailure: (error: unknown) => void;
}

/** What can be done with a batch. */
export function BatchActions({ batch, onFailure }: BatchActionsProps) {
  const [, navigate] = useLocation();
  const isOver = hasEnded(batch);
  return (
    <>
      {!isOver && <CancelButton batch={batch} />}
      {isOver && retryableRows(batch) > 0 && <RetryButton batch={batch} onFailure={onFailure} />}
      {isOver && (
        <Button variant="default" onClick={() => navigate(`/batches/new?again=${batch.id}`)}>
          Submit again
        </Button>
      )}
      <BatchFiles batch={batch} />
    </>
  );
}

interface RetryButtonProps extends BatchActionsProps {
  /** What a row stands for. */
  readonly thing?: string;
}

/** Captures the failed rows again as a new batch, and leads to it. */
export function RetryButton({ batch, onFailure, thing = 'row' }: RetryButtonProps) {
  const { client } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const retry = useMutation({
    mutationFn: () => client.bulk.retryFailed(batch.id),
    onSuccess: ({ errors: _, ...accepted }) => {
      queries.setQueryData(['batches', accepted.id], accepted);
      void queries.invalidateQueries({ queryKey: ['batches', batch.id, 'retries'] });
    },
    onError: onFailure,
  });
  const submit = (): void => {
    // Left out after the page was left, so that nobody is taken away from another page.
    retry.mutate(undefined, { onSuccess: ({ id }) => navigate(`/batches/${id}`) });
  };
  const rows = retryableRows(batch);
  return (
    <Button leftSection={<ReloadIcon />} onClick={submit} loading={retry.isPending}>
      Retry {count(rows)} failed {rows === 1 ? thing : `${thing}s`}
    </Button>
  );
}

function CancelButton({ batch }: { readonly batch: BatchRecord }) {
  const { client } = useApi();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const cancel = useMutation({
    mutationFn: () => client.bulk.cancel(batch.id),
    onSuccess: (canceled) => {
      queries.setQueryData(['batches', batch.id], canceled);
      close();
    },
  });
  const left = batch.counts.queued + batch.counts.running;
  return (
    <>
      <Button variant="default" color="red" onClick={open}>
        Cancel the batch
      </Button>
      <Modal opened={isOpen} onClose={close} title="Cancel this batch?" withCloseButton={false} centered>
        <Stack>
          <Text>
            {count(left)} {left === 1 ? 'row has' : 'rows have'} not ended. They are canceled, including those
            that are being captured, and their units are given back. The other rows stay as they are.
          </Text>
          {cancel.error && <ProblemAlert error={cancel.error} title="The batch was not canceled" />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus>
              Let it run
            </Button>
            <Button color="red.9" onClick={() => cancel.mutate()} loading={cancel.isPending}>
              Cancel {count(left)} {left === 1 ? 'row' : 'rows'}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function BatchFiles({ batch }: { readonly batch: BatchRecord }) {
  const { urlOf } = useApi();
  return (
    <DownloadMenu width={260}>
      <Menu.Item component="a" href={urlOf(batch.download_url)} download>
        Results as CSV
      </Menu.Item>
      <Menu.Item
        component="a"
        href={urlOf(`/v1/bulk/${batch.id}/files.zip`)}
        download
        disabled={batch.counts.succeeded === 0}
      >
        All files as ZIP
      </Menu.Item>
    </DownloadMenu>
  );
}
