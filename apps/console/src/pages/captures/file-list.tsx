import type { CaptureRecord } from '@capture-service/client';
import { ActionIcon, Group, Stack, Text } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { useApi } from '../../api/client.js';
import { fileSummary } from '../../capture-record/files.js';

/** All files of a capture with their sizes. */
export function FileList({ record }: { readonly record: CaptureRecord }) {
  const { urlOf } = useApi();
  return (
    <Stack gap={4}>
      {record.files.map((file) => (
        <Group key={file.name} justify="space-between" wrap="nowrap" gap="xs">
          <Text className="breaks">
            {file.name}{' '}
            <Text span c="dimmed" className="numeric">
              {file.format} · {fileSummary(file)}
            </Text>
          </Text>
          {file.url === null ? (
            <Text c="dimmed">{record.deleted_at === null ? 'expired' : 'deleted'}</Text>
          ) : (
            <ActionIcon
              component="a"
              href={urlOf(file.url)}
              download
              aria-label={`Download the file ${file.name}`}
            >
              <DownloadIcon />
            </ActionIcon>
          )}
        </Group>
      ))}
    </Stack>
  );
}
