import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { UploadIcon } from '@radix-ui/react-icons';
import { useState, type DragEvent, type ReactNode } from 'react';
import classes from './drop-zone.module.css';

interface DropZoneProps {
  readonly title: string;
  /** Says which files it takes. */
  readonly children: ReactNode;
  /** Extensions and media types that the chooser of files offers. */
  readonly accept: string;
  readonly onFile: (file: File) => void;
  /** Id of the button. */
  readonly id?: string;
  /** Whether it is one of many things in a form. */
  readonly isSmall?: boolean;
  readonly disabled?: boolean;
}

/** A place for a file: dropped, or chosen with a button that the keyboard reaches. */
export function DropZone({ title, isSmall, disabled, ...invitation }: DropZoneProps) {
  const { onFile } = invitation;
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file && !disabled) onFile(file);
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
      data-small={isSmall || undefined}
      onDragOver={hover}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Invitation title={title} disabled={disabled} {...invitation} />
    </div>
  );
}

type InvitationProps = Pick<DropZoneProps, 'title' | 'children' | 'accept' | 'onFile' | 'id'> & {
  readonly disabled: boolean | undefined;
};

function Invitation({ title, children, accept, onFile, id, disabled }: InvitationProps) {
  return (
    <Stack align="center" gap="sm">
      <UploadIcon width={22} height={22} aria-hidden />
      <Stack gap={2} align="center">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" ta="center">
          {children}
        </Text>
      </Stack>
      <Group gap="xs">
        <FileButton onChange={(file) => file && onFile(file)} accept={accept} disabled={disabled}>
          {(props) => (
            <Button {...props} id={id} aria-label="Choose a file" variant="default" disabled={disabled}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  );
}
