import { Button } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { EmptyState } from '../../../ui/empty-state.js';
import { PageHeader } from '../../../ui/page-header.js';
import { PagedList } from '../../../ui/paged-list.js';
import { useKeys } from './key-queries.js';
import { KeyTable } from './key-table.js';

/** The keys of all accounts, and a way to a new one. */
export default function KeysPage() {
  return (
    <>
      <PageHeader title="Keys" description="The keys of all accounts. None is shown again after it was made.">
        <Button component={Link} href="/admin/keys/new" leftSection={<PlusIcon />}>
          New key
        </Button>
      </PageHeader>
      <PagedList
        query={useKeys()}
        more="Show older keys"
        empty={
          <EmptyState title="No keys yet">A key lets a program or a person act for an account.</EmptyState>
        }
      >
        {(keys) => <KeyTable keys={keys} hasAccounts />}
      </PagedList>
    </>
  );
}
