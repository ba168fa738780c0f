import { Stack, Table } from '@mantine/core';
import type { AccountUsage } from '@capture-service/client';
import { Link, useSearchParams } from 'wouter';
import { EmptyState } from '../../../ui/empty-state.js';
import { count } from '../../../ui/format.js';
import { PageHeader } from '../../../ui/page-header.js';
import { useNow } from '../../../ui/use-now.js';
import { RangePicker } from '../../usage/range-picker.js';
import { dayOf, rangeOf } from '../../usage/range.js';
import classes from '../admin.module.css';
import { PagedList } from '../../../ui/paged-list.js';
import { CsvButton } from './csv-button.js';
import { useUsageOfAccounts } from './usage-queries.js';

const RENEWED_MS = 60_000;

/** What each account has used in a range of days; its days are one click away. */
export default function AccountsUsagePage() {
  const today = dayOf(useNow(RENEWED_MS));
  const [search] = useSearchParams();
  const range = rangeOf(search, today);
  return (
    <>
      <PageHeader
        title="Usage of accounts"
        description="One capture is one unit. Days begin at midnight in UTC."
      />
      <Stack gap="md">
        <RangePicker range={range} today={today}>
          <CsvButton range={range} />
        </RangePicker>
        <PagedList
          query={useUsageOfAccounts(range)}
          more="Show older accounts"
          empty={
            <EmptyState title="No accounts yet">
              The usage of an account is here once it has captured.
            </EmptyState>
          }
        >
          {(usages) => <UsageTable usages={usages} search={search.toString()} />}
        </PagedList>
      </Stack>
    </>
  );
}

const COUNTS = [
  { name: 'total', label: 'Accepted' },
  { name: 'charged', label: 'Charged' },
  { name: 'in_progress', label: 'In progress' },
  { name: 'cached', label: 'Cached' },
  { name: 'canceled', label: 'Canceled' },
  { name: 'failed', label: 'Failed' },
] as const;

interface UsageTableProps {
  readonly usages: readonly AccountUsage[];
  /** The range, as the address of the page has it. */
  readonly search: string;
}

function UsageTable({ usages, search }: UsageTableProps) {
  return (
    <Table.ScrollContainer
      minWidth={640}
      type="native"
      tabIndex={0}
      role="group"
      aria-label="Usage by account"
    >
      <Table className={`numeric ${classes.table}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Account</Table.Th>
            {COUNTS.map(({ name, label }) => (
              <Table.Th key={name} scope="col" ta="right">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {usages.map((usage) => (
            <Table.Tr key={usage.account_id}>
              <Table.Th scope="row" className="breaks">
                <Link href={`/admin/usage/${usage.account_id}?${search}`} className={classes.link}>
                  {usage.account}
                </Link>
              </Table.Th>
              {COUNTS.map(({ name }) => (
                <Table.Td key={name} ta="right" c={usage[name] === 0 ? 'dimmed' : undefined}>
                  {count(usage[name])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
