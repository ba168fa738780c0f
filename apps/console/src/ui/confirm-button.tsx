import { Button, Group, Modal, Stack, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ProblemAlert } from './problem-alert.js';

interface ConfirmButtonProps extends ButtonProps {
  /** The verb on both buttons. */
  readonly label: string;
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** Rejects with what failed, which the dialog then shows. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isPending: boolean;
  /** Whether the person has filled in what the dialog asks for; without it there is nothing to fill in. */
  readonly isReady?: boolean;
  readonly error: unknown;
  /** Called when the dialog opens, to forget an earlier failure. */
  readonly onOpen?: () => void;
}

/** A button that says what will happen before it does it. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, title, children, onConfirm, isPending, isReady = true, error, onOpen, ...button } = props;
  const [isOpen, { open, close }] = useDisclosure(false, { ...(onOpen && { onOpen }) });
  // The failure is shown by `error`.
  const confirm = () => void onConfirm().then(close, () => undefined);
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
        <Stack gap="md">
          {children}
          {error !== null && error !== undefined && <ProblemAlert error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button onClick={confirm} loading={isPending} disabled={!isReady}>
              {`${label} now`}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
