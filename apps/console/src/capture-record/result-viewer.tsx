import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { Button, Group, Skeleton, Tabs, Text } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { useCallback, useMemo, useState } from 'react';
import { useApi } from '../api/client.js';
import { count } from '../ui/format.js';
import { ProblemAlert } from '../ui/problem-alert.js';
import { fileSummary, kindOf, shownFiles, type ShownFile } from './files.js';
import { PictureView } from './picture-view.js';
import { SliceColumn } from './slice-column.js';
import { useFile } from './use-file.js';
import classes from './views.module.css';

/** The files of a capture that has succeeded, each shown as what it is and to download. */
export function ResultViewer({ record }: { readonly record: CaptureRecord }) {
  const [chosen, choose] = useState<string | null>(null);
  const shown = shownFiles(record.files);
  const current = shown.find(({ name }) => name === chosen) ?? shown[0];
  if (!current)
    return <Text c="dimmed">{record.deleted_at ? 'The files were deleted.' : 'There are no files.'}</Text>;
  if (shown.length === 1) return <ShownPanel record={record} shown={current} />;
  return (
    <Tabs value={current.name} onChange={choose} keepMounted={false}>
      <Tabs.List mb="sm" aria-label="Files">
        {shown.map(({ name, files: [{ format }] }) => (
          <Tabs.Tab key={name} value={name}>
            {name}{' '}
            <Text span size="xs" c="dimmed">
              {format}
            </Text>
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {shown.map((each) => (
        <Tabs.Panel key={each.name} value={each.name}>
          <ShownPanel record={record} shown={each} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function ShownPanel({ record, shown }: { readonly record: CaptureRecord; readonly shown: ShownFile }) {
  const { files, isSliced } = shown;
  return isSliced ? <SliceColumn shown={shown} /> : <FilePanel record={record} file={files[0]} />;
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

/** A PDF in the viewer of the browser, as far as it has one. */
function PdfView({ record, file }: { readonly record: CaptureRecord; readonly file: FileRecord }) {
  const { data, error, refetch } = useFile(record, file);
  const content = useContent(data?.bytes);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!navigator.pdfViewerEnabled)
    return (
      <Text c="dimmed" p="lg" ta="center">
        This browser cannot show a PDF in a page. Download the file to read it.
      </Text>
    );
  if (!data) return <Skeleton h={480} role="status" aria-label="Loading the PDF" />;
  return <iframe ref={content} title={`PDF ${file.name}`} className={classes.pdf} />;
}

/** Puts the PDF into the frame for as long as the frame is there. */
function useContent(bytes: Uint8Array<ArrayBuffer> | undefined) {
  return useCallback(
    (frame: HTMLIFrameElement | null) => {
      if (!frame || !bytes) return undefined;
      const url = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }));
      frame.src = url;
      return () => URL.revokeObjectURL(url);
    },
    [bytes],
  );
}

/** More would make the page slow; the whole file can be downloaded. */
const SHOWN_CHARACTERS = 200_000;

/** A file as text, whatever it is: captured HTML never runs here. */
function TextView({ record, file }: { readonly record: CaptureRecord; readonly file: FileRecord }) {
  const { data, error, refetch } = useFile(record, file);
  const text = useMemo(() => (data ? new TextDecoder().decode(data.bytes) : undefined), [data]);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (text === undefined) return <Skeleton h={240} role="status" aria-label="Loading the file" />;
  return (
    <>
      <pre className={classes.text} dir="auto" tabIndex={0} aria-label={`Text of ${file.name}`}>
        {text.slice(0, SHOWN_CHARACTERS)}
      </pre>
      {text.length > SHOWN_CHARACTERS && (
        <Text size="xs" c="dimmed" mt={4}>
          The first {count(SHOWN_CHARACTERS)} of {count(text.length)} characters are shown. Download the file
          to see everything.
        </Text>
      )}
    </>
  );
}
