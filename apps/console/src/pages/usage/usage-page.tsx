import { Button, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { useSearchParams } from 'wouter';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { saveText } from '../../ui/save-text.js';
import { useNow } from '../../ui/use-now.js';
import { AllowancePanel } from './allowance-panel.js';
import { codeLayers, sourceLayers } from './breakdown.js';
import { BreakdownPanel } from './breakdown-panel.js';
import { ConcurrencyPanel } from './concurrency-panel.js';
import { daysCsv } from './days-csv.js';
import { DaysTable } from './days-table.js';
import { DurationsPanel } from './durations-panel.js';
import { RangePicker } from './range-picker.js';
import { dayOf, rangeOf, type DayRange } from './range.js';
import { useUsageByDay } from './usage-queries.js';

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
          <BreakdownPanel
            title="Charged, by source"
            days={usage.days}
            layers={sourceLayers(usage)}
            empty="No capture was charged on these days."
          />
          <BreakdownPanel
            title="Failed, by error code"
            days={usage.days}
            layers={codeLayers(usage)}
            empty="No capture failed on these days."
          />
          <DurationsPanel range={range} today={today} />
          <DaysTable usage={usage} />
        </>
      )}
    </Stack>
  );
}
