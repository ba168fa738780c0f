import { Skeleton, Stack } from '@mantine/core';
import type { AccountUsage } from '@capture-service/client';
import { useParams, useSearchParams } from 'wouter';
import { EmptyState } from '../../../ui/empty-state.js';
import { PageHeader } from '../../../ui/page-header.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { useNow } from '../../../ui/use-now.js';
import { Breakdowns } from '../../usage/breakdown-panel.js';
import { DaysTable } from '../../usage/days-table.js';
import { RangePicker } from '../../usage/range-picker.js';
import { dayOf, rangeOf } from '../../usage/range.js';
import { BackLink } from '../../../ui/back-link.js';
import { CsvButton } from './csv-button.js';
import { useUsageOfAccount } from './usage-queries.js';

const RENEWED_MS = 60_000;

/** What one account has used per day of a range, as its own page of usage shows it. */
export default function OneAccountUsagePage() {
  const { id = '' } = useParams<{ id: string }>();
  const today = dayOf(useNow(RENEWED_MS));
  const [search] = useSearchParams();
  const range = rangeOf(search, today);
  const { data: usage, error, refetch } = useUsageOfAccount(id, range);
  return (
    <Stack gap="md">
      <BackLink href={`/admin/usage?${search.toString()}`}>Usage of accounts</BackLink>
      <PageHeader title={usage ? `Usage of ${usage.account}` : 'Usage of an account'} />
      <RangePicker range={range} today={today}>
        <CsvButton range={range} accountId={id} />
      </RangePicker>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!error && usage === undefined && <Skeleton h="24rem" role="status" aria-label="Loading" />}
      {!error && usage === null && (
        <EmptyState title="There is no such account">The usage of an account is deleted with it.</EmptyState>
      )}
      {!error && usage && <Days usage={usage} />}
    </Stack>
  );
}

function Days({ usage }: { readonly usage: AccountUsage }) {
  return (
    <>
      <Breakdowns usage={usage} />
      <DaysTable usage={usage} />
    </>
  );
}
