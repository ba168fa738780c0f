import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { Button, Group, Tabs, Text } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { useApi } from '../api/client.js';
import { fileSummary, kindOf } from './files.js';
import { PdfView } from './pdf-view.js';
import { PictureView } from './picture-view.js';
import { TextView } from './text-view.js';

/** The files of a capture that has succeeded, each shown as what it is and to download. */
export function ResultViewer({ record }: { readonly record: CaptureRecord }) {
  const [chosen, choose] = useState<string | null>(null);
  const { files } = record;
  const current = files.find(({ name }) => name === chosen) ?? files[0];
  if (!current)
    return <Text c="dimmed">{record.deleted_at ? 'The files were deleted.' : 'There are no files.'}</Text>;
  if (files.length === 1) return <FilePanel record={record} file={current} />;
  return (
    <Tabs value={current.name} onChange={choose} keepMounted={false}>
      <Tabs.List mb="sm" aria-label="Files">
        {files.map(({ name, format }) => (
          <Tabs.Tab key={name} value={name}>
            {name}{' '}
            <Text span size="xs" c="dimmed">
              {format}
            </Text>
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {files.map((file) => (
        <Tabs.Panel key={file.name} value={file.name}>
          <FilePanel record={record} file={file} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function FilePanel({ record, file }: { readonly record: CaptureRecord; readonly file: FileRecord }) {
  const { urlOf } = useApi();
  if (file.url === null) return <Text c="dimmed">The file has expired; its record is kept.</Text>;
  const address = urlOf(file.url);
  return (
    <>
      <Group justify="space-between" gap="xs" mb="xs">
        <Text c="dimmed" className="numeric">
          {file.format} · {fileSummary(file)}
          {file.truncated && ' · cut off: the page was larger'}
        </Text>
        <Button
          component="a"
          href={address}
          download
          variant="default"
          leftSection={<DownloadIcon aria-hidden />}
        >
          Download
        </Button>
      </Group>
      <FileView record={record} file={file} address={address} />
    </>
  );
}

interface FileViewProps {
  readonly record: CaptureRecord;
  readonly file: FileRecord;
  readonly address: string;
}

function FileView({ record, file, address }: FileViewProps) {
  const kind = kindOf(file);
  if (kind === 'pdf') return <PdfView record={record} file={file} />;
  if (kind === 'text') return <TextView record={record} file={file} />;
  return (
    <PictureView
      key={address}
      src={address}
      name={file.name}
      width={file.width ?? 1}
      height={file.height ?? 1}
    />
  );
}
