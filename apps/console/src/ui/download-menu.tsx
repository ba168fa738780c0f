import { Button, Menu } from '@mantine/core';
import { ChevronDownIcon, DownloadIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';

interface DownloadMenuProps {
  /** Px. */
  readonly width: number;
  /** `Menu.Item`s that are links to files. */
  readonly children: ReactNode;
}

/** A button with the files that can be downloaded. */
export function DownloadMenu({ width, children }: DownloadMenuProps) {
  return (
    <Menu position="bottom-end" width={width} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<DownloadIcon />} rightSection={<ChevronDownIcon />}>
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
