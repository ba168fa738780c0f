import type { CaptureRecord } from '@capture-service/client';
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { useClipboard, useDisclosure } from '@mantine/hooks';
import {
  ArchiveIcon,
  CopyIcon,
  DotsHorizontalIcon,
  EyeOpenIcon,
  FileTextIcon,
  PaperPlaneIcon,
  ReloadIcon,
  TransparencyGridIcon,
  TrashIcon,
} from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { useApi } from '../../api/client.js';
import { againPath } from '../../capture-record/again-path.js';
import { watchPath } from '../monitors/monitor-draft.js';
import { DeleteDialog } from './delete-dialog.js';

/** What can be done with a capture. */
export function DetailActions({ record }: { readonly record: CaptureRecord }) {
  const [isDeleting, { open, close }] = useDisclosure();
  const { deleted_at: deletedAt } = record;
  return (
    <>
      {deletedAt === null && (
        <Button component={Link} href={againPath(record.options)} leftSection={<ReloadIcon aria-hidden />}>
          Capture again
        </Button>
      )}
      <Menu position="bottom-end" width={240} shadow="md">
        <Menu.Target>
          <Tooltip label="More">
            <ActionIcon variant="default" size={30} aria-label="More actions">
              <DotsHorizontalIcon />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <MoreItems record={record} onDelete={open} />
        </Menu.Dropdown>
      </Menu>
      <DeleteDialog record={record} isOpen={isDeleting} close={close} />
    </>
  );
}

interface MoreItemsProps {
  readonly record: CaptureRecord;
  readonly onDelete: () => void;
}

function MoreItems({ record, onDelete }: MoreItemsProps) {
  const { copy } = useClipboard();
  const { id } = record;
  return (
    <>
      <RecordItems record={record} />
      <Menu.Divider />
      <Menu.Item leftSection={<CopyIcon aria-hidden />} onClick={() => copy(id)}>
        Copy the id
      </Menu.Item>
      <Menu.Item leftSection={<CopyIcon aria-hidden />} onClick={() => copy(location.href)}>
        Copy the address of this page
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item color="red" leftSection={<TrashIcon aria-hidden />} onClick={onDelete}>
        Delete
      </Menu.Item>
    </>
  );
}

/** Links to the files and the record of the capture, and to other pages about it. */
function RecordItems({ record }: { readonly record: CaptureRecord }) {
  const { urlOf } = useApi();
  const { id, result_url: result } = record;
  const path = `/v1/captures/${id}`;
  return (
    <>
      {result !== null && (
        <Menu.Item
          component="a"
          href={urlOf(`${path}/files.zip`)}
          download
          leftSection={<ArchiveIcon aria-hidden />}
        >
          All files as a zip
        </Menu.Item>
      )}
      <Menu.Item
        component="a"
        href={urlOf(path)}
        download={`capture-${id}.json`}
        leftSection={<FileTextIcon aria-hidden />}
      >
        Record as JSON
      </Menu.Item>
      <PageItems record={record} />
    </>
  );
}

function PageItems({ record }: { readonly record: CaptureRecord }) {
  const { id, url, source } = record;
  return (
    <>
      {url !== null && record.deleted_at === null && (
        <Menu.Item
          component={Link}
          href={watchPath(record.options)}
          leftSection={<EyeOpenIcon aria-hidden />}
        >
          Watch this page
        </Menu.Item>
      )}
      <Menu.Item
        component={Link}
        href={`/captures?selected=${id}${hostQuery(url)}`}
        leftSection={<TransparencyGridIcon aria-hidden />}
      >
        Compare with another capture
      </Menu.Item>
      {source === 'job' && (
        <Menu.Item
          component={Link}
          href={`/webhooks?subject_id=${id}`}
          leftSection={<PaperPlaneIcon aria-hidden />}
        >
          Webhook deliveries
        </Menu.Item>
      )}
    </>
  );
}

/** A capture is most often compared with another one of the same site. */
function hostQuery(url: string | null): string {
  const isUsable = url !== null && URL.canParse(url) && new URL(url).hostname !== '';
  return isUsable ? `&host=${encodeURIComponent(new URL(url).hostname)}` : '';
}
