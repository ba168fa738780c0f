import { Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { useSearchParams } from 'wouter';
import type { Usage } from '@capture-service/client';
import { Figure } from '../../ui/figure.js';
import { count, share, time } from '../../ui/format.js';
import { Meter } from '../../ui/meter.js';
import { PageHeader } from '../../ui/page-header.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { saveText } from '../../ui/save-text.js';
import { useNow } from '../../ui/use-now.js';
import { Breakdowns } from './breakdown-panel.js';
import { daysCsv } from './days-csv.js';
import { DaysTable } from './days-table.js';
import { DurationsPanel } from './durations-panel.js';
import { RangePicker } from './range-picker.js';
import { dayOf, rangeOf, type DayRange } from './range.js';
import { useUsage, useUsageByDay } from './usage-queries.js';

const RENEWED_MS = 60_000;

/** What the account has used: now, and per day of a range. */
export default function UsagePage() {
  const today = dayOf(useNow(RENEWED_MS));
  const [search] = useSearchParams();
  const range = rangeOf(search, today);
  return (
    <>
      <PageHeader title="Usage" description="One capture is one unit. Days begin at midnight in UTC." />
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <AllowancePanel />
          <ConcurrencyPanel />
        </SimpleGrid>
        <RangeUsage range={range} today={today} />
      </Stack>
    </>
  );
}

function RangeUsage({ range, today }: { readonly range: DayRange; readonly today: string }) {
  const { data: usage, error, isPlaceholderData, refetch } = useUsageByDay(range);
  const name = `usage-${range.first}-${range.last}.csv`;
  return (
    <Stack gap="md" component="section" aria-label="Usage of a range of days" aria-busy={isPlaceholderData}>
      <RangePicker range={range} today={today}>
        <Button
          variant="default"
          leftSection={<DownloadIcon />}
          disabled={!usage || isPlaceholderData}
          onClick={() => usage && saveText(name, 'text/csv', daysCsv(usage))}
        >
          CSV
        </Button>
      </RangePicker>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!error && !usage && <Skeleton h="36rem" role="status" aria-label="Loading" />}
      {!error && usage && (
        <>
          <Breakdowns usage={usage} />
          <DurationsPanel range={range} today={today} />
          <DaysTable usage={usage} />
        </>
      )}
    </Stack>
  );
}

/** From this part on, the event `usage.threshold` has been sent. */
const WARNED_PART = 0.8;

function AllowancePanel() {
  const { data, error } = useUsage();
  return (
    <Panel title="Allowance" aside={data && <Text c="dimmed">{share(data.used, data.total)} used</Text>}>
      {data && <Allowance usage={data} />}
      {!data && error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={104} role="status" aria-label="Loading" />}
    </Panel>
  );
}

function Allowance({ usage: { total, used, available } }: { readonly usage: Usage }) {
  return (
    <Stack gap="sm">
      <Group gap="xl">
        <Figure label="Used" value={count(used)} />
        <Figure label="Available" value={count(available)} />
        <Figure label="Total" value={count(total)} />
      </Group>
      <Meter
        label="Allowance"
        value={used}
        max={total}
        mark={WARNED_PART}
        text={`${count(used)} of ${count(total)} units used`}
      />
      <Text size="xs" c="dimmed">
        {adviceOf(used, total)}
      </Text>
    </Stack>
  );
}

function adviceOf(used: number, total: number): string {
  if (used >= total)
    return 'No unit is left. New captures are refused until the period ends or the operator raises the allowance.';
  if (used >= total * WARNED_PART) return 'More than 80 % is used. At 100 % new captures are refused.';
  return 'Captures that succeeded or are in progress. The mark is at 80 %, where the event usage.threshold is sent.';
}

function ConcurrencyPanel() {
  const { data, error } = useUsage();
  return (
    <Panel title="Concurrency now" aside={<Text c="dimmed">refreshed every 3 s</Text>}>
      {data && <Concurrency concurrency={data.concurrency} />}
      {!data && !error && <Skeleton h={104} role="status" aria-label="Loading" />}
    </Panel>
  );
}

function Concurrency({ concurrency: { limit, remaining, reset_unix: reset } }: Pick<Usage, 'concurrency'>) {
  const busy = limit - remaining;
  return (
    <Stack gap="sm">
      <Group gap="xl">
        <Figure label="In progress" value={count(busy)} />
        <Figure label="Free" value={count(remaining)} />
        <Figure label="Limit" value={count(limit)} />
      </Group>
      <Meter label="Concurrency" value={busy} max={limit} text={`${busy} of ${limit} captures in progress`} />
      <Text size="xs" c="dimmed">
        {busy === 0
          ? 'No capture is in progress.'
          : `All slots are free by ${time(new Date(reset * 1_000).toISOString())} at the latest.`}
      </Text>
    </Stack>
  );
}
