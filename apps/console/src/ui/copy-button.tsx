import { ActionIcon, CopyButton as Copy, Tooltip } from '@mantine/core';
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons';

/** Copies a text; `label` says what. */
export function CopyButton({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Copy value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
          <ActionIcon onClick={copy} aria-label={`Copy ${label}`}>
            {copied ? <CheckIcon /> : <CopyIcon />}
          </ActionIcon>
        </Tooltip>
      )}
    </Copy>
  );
}
