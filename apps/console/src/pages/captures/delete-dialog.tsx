import { hasEnded, type CaptureRecord } from '@capture-service/client';
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/client.js';
import { bytes, count } from '../../ui/format.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { rowOf } from '../../capture-record/capture-row.js';
import { showChange } from './use-captures.js';

interface DeleteDialogProps {
  readonly record: CaptureRecord;
  readonly isOpen: boolean;
  readonly close: () => void;
}

type Extent = 'files' | 'record';

/** Asks what is to be deleted, and says what that is. */
export function DeleteDialog({ record, isOpen, close }: DeleteDialogProps) {
  const [chosen, choose] = useState<Extent>('files');
  const extent = record.deleted_at === null ? chosen : 'record';
  const deletion = useDeletion(record, close);
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Delete this capture"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        {!hasEnded(record) && <Text>The capture has not ended; it is canceled first.</Text>}
        <ExtentChoice record={record} extent={extent} onExtent={choose} />
        <Text c="dimmed">This cannot be undone.</Text>
        {deletion.error && <ProblemAlert error={deletion.error} title="The capture was not deleted" />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button color="red" loading={deletion.isPending} onClick={() => deletion.mutate(extent)}>
            {extent === 'files' ? 'Delete the files' : 'Delete everything'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface ExtentChoiceProps {
  readonly record: CaptureRecord;
  readonly extent: Extent;
  readonly onExtent: (extent: Extent) => void;
}

function ExtentChoice({ record, extent, onExtent }: ExtentChoiceProps) {
  return (
    <Radio.Group value={extent} onChange={onExtent} aria-label="What to delete">
      <Stack gap="sm">
        {record.deleted_at === null && (
          <Radio
            value="files"
            label="Files and contents"
            description={`${filesText(record)}, and everything in the record that you or the page wrote: options, URLs, title, reference and texts. Times, sizes, status and codes are kept.`}
          />
        )}
        <Radio
          value="record"
          label="Everything"
          description="Also the record, so that its id is no longer known. Statistics and charges are kept."
        />
      </Stack>
    </Radio.Group>
  );
}

function filesText({ files }: CaptureRecord): string {
  const size = bytes(files.reduce((sum, file) => sum + file.bytes, 0));
  return files.length === 0
    ? 'There are no files'
    : `${count(files.length)} ${files.length === 1 ? 'file' : 'files'} of ${size}`;
}

function useDeletion({ id }: CaptureRecord, close: () => void) {
  const { client } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: (extent: Extent) =>
      extent === 'record' ? client.captures.delete(id, { record: true }) : client.captures.delete(id),
    onSuccess: (kept) => {
      queries.removeQueries({ queryKey: ['capture-file', id] });
      showChange(queries, id, kept && rowOf(kept));
      notifications.show({ message: kept ? 'The files were deleted.' : 'The capture was deleted.' });
      close();
      if (kept) {
        queries.setQueryData(['captures', 'record', id], kept);
        return;
      }
      navigate('/captures', { replace: true });
      queries.removeQueries({ queryKey: ['captures', 'record', id] });
    },
  });
}
