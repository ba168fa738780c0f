import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { Skeleton, Text } from '@mantine/core';
import { useCallback } from 'react';
import { ProblemAlert } from '../ui/problem-alert.js';
import classes from './views.module.css';
import { useFile } from './use-file.js';

/** A PDF in the viewer of the browser, as far as it has one. */
export function PdfView({ record, file }: { readonly record: CaptureRecord; readonly file: FileRecord }) {
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
