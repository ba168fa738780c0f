import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { Skeleton, Text } from '@mantine/core';
import { useMemo } from 'react';
import { count } from '../ui/format.js';
import { ProblemAlert } from '../ui/problem-alert.js';
import classes from './views.module.css';
import { useFile } from './use-file.js';

/** More would make the page slow; the whole file can be downloaded. */
const SHOWN_CHARACTERS = 200_000;

/** A file as text, whatever it is: captured HTML never runs here. */
export function TextView({ record, file }: { readonly record: CaptureRecord; readonly file: FileRecord }) {
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
