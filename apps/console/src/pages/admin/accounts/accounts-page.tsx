import { Button, Table } from '@mantine/core';
import type { AccountRecord } from '@capture-service/client';
import { PlusIcon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { EmptyState } from '../../../ui/empty-state.js';
import { count } from '../../../ui/format.js';
import { PageHeader } from '../../../ui/page-header.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { TimeText } from '../../../ui/time-text.js';
import classes from '../admin.module.css';
import { PagedList } from '../../../ui/paged-list.js';
import { useAccounts } from './account-queries.js';

/** All accounts with their state and their usage, and a way to a new one. */
export default function AccountsPage() {
  return (
    <>
      <PageHeader title="Accounts" description="Who uses the service, how much, and up to which limits.">
        <NewAccountButton />
      </PageHeader>
      <PagedList query={useAccounts()} more="Show older accounts" empty={<NoAccounts />}>
        {(accounts) => <AccountTable accounts={accounts} />}
      </PagedList>
    </>
  );
}

function NewAccountButton() {
  return (
    <Button component={Link} href="/admin/accounts/new" leftSection={<PlusIcon />}>
      New account
    </Button>
  );
}

function NoAccounts() {
  return (
    <EmptyState title="No accounts yet" action={<NewAccountButton />}>
      An account has keys, an allowance and limits, and sees only what is its own.
    </EmptyState>
  );
}

function AccountTable({ accounts }: { readonly accounts: readonly AccountRecord[] }) {
  return (
    <Table layout="fixed" className={`numeric ${classes.table}`}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Name</Table.Th>
          <Table.Th scope="col" w={110}>
            State
          </Table.Th>
          <Table.Th scope="col" ta="right" w={170} visibleFrom="sm">
            Allowance used
          </Table.Th>
          <Table.Th scope="col" ta="right" w={120} visibleFrom="md">
            In progress
          </Table.Th>
          <Table.Th scope="col" w={130} visibleFrom="md">
            Created
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function AccountRow({ account }: { readonly account: AccountRecord }) {
  const { id, name, state, created_at: createdAt } = account;
  const { used, total, concurrency } = account.usage;
  return (
    <Table.Tr>
      <Table.Td className="breaks">
        <Link href={`/admin/accounts/${id}`} className={classes.link}>
          {name}
        </Link>
      </Table.Td>
      <Table.Td>
        <StatusBadge status={state} />
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">{`${count(used)} of ${count(total)}`}</Table.Td>
      <Table.Td ta="right" visibleFrom="md">
        {`${count(concurrency.limit - concurrency.remaining)} of ${count(concurrency.limit)}`}
      </Table.Td>
      <Table.Td visibleFrom="md">
        <TimeText iso={createdAt} />
      </Table.Td>
    </Table.Tr>
  );
}
