import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { UploadIcon } from '@radix-ui/react-icons';
import { useState, type DragEvent } from 'react';
import classes from './new-batch.module.css';

interface DropZoneProps {
  readonly onFile: (file: File) => void;
}

/** A place for a file: dropped, or chosen with a button that the keyboard reaches. */
export function DropZone({ onFile }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  };
  const hover = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(true);
  };
  return (
    <div
      className={classes.drop}
      role="group"
      aria-label="Drop zone"
      data-over={isOver || undefined}
      onDragOver={hover}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Invitation onFile={onFile} />
    </div>
  );
}

function Invitation({ onFile }: DropZoneProps) {
  return (
    <Stack align="center" gap="sm">
      <UploadIcon width={22} height={22} aria-hidden />
      <Stack gap={2} align="center">
        <Text fw={600}>Drop a CSV here</Text>
        <Text c="dimmed" ta="center">
          The first line names the columns, one of them <code>url</code>. JSON lines and lists of URLs work,
          too. Up to 10,000 rows and 10 MB.
        </Text>
      </Stack>
      <Group gap="xs">
        <FileButton
          onChange={(file) => file && onFile(file)}
          accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv,text/plain"
        >
          {(props) => (
            <Button {...props} variant="default">
              Choose a file
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  );
}
