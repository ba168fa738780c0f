import { Button, Table, Text } from '@mantine/core';
import type { UsageDay, UsageDays } from '@capture-service/client';
import { useState } from 'react';
import { count } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import classes from './breakdown-panel.module.css';
import { fullDay } from './range.js';

/** Longer ranges are shown on demand. */
const SHOWN_DAYS = 31;

/** All values of the charts as text, newest day first. */
export function DaysTable({ usage }: { readonly usage: UsageDays }) {
  const [isWhole, setIsWhole] = useState(false);
  const days = usage.days.toReversed();
  const shown = isWhole ? days : days.slice(0, SHOWN_DAYS);
  const sources = Object.keys(usage.charged_by_source);
  return (
    <Panel title="By day" aside={<Text c="dimmed">UTC</Text>}>
      <Table.ScrollContainer minWidth={860} type="native" tabIndex={0} role="group" aria-label="Usage by day">
        <Table className="numeric" verticalSpacing={4}>
          <Head sources={sources} />
          <Table.Tbody>
            {shown.map((day) => (
              <DayRow key={day.day} day={day} sources={sources} />
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th scope="row">All {count(days.length)} days</Table.Th>
              <Counts of={usage} sources={sources} />
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </Table.ScrollContainer>
      {shown.length < days.length && (
        <Button variant="default" mt="sm" onClick={() => setIsWhole(true)}>
          Show all {count(days.length)} days
        </Button>
      )}
    </Panel>
  );
}

function Head({ sources }: { readonly sources: readonly string[] }) {
  const columns = ['Accepted', 'Charged', ...sources, 'In progress', 'Cached', 'Canceled', 'Failed'];
  return (
    <Table.Thead>
      <Table.Tr>
        <Table.Th scope="col">Day</Table.Th>
        {columns.map((name) => (
          <Table.Th key={name} scope="col" ta="right">
            {name}
          </Table.Th>
        ))}
        <Table.Th scope="col">Codes of failures</Table.Th>
      </Table.Tr>
    </Table.Thead>
  );
}

interface RowProps {
  readonly day: UsageDay;
  readonly sources: readonly string[];
}

function DayRow({ day, sources }: RowProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} className={classes.day}>
        <time dateTime={day.day}>{fullDay(day.day)}</time>
      </Table.Th>
      <Counts of={day} sources={sources} />
    </Table.Tr>
  );
}

interface CountsProps {
  readonly of: Omit<UsageDay, 'day'>;
  readonly sources: readonly string[];
}

function Counts({ of, sources }: CountsProps) {
  const bySource = sources.map((source) => of.charged_by_source[source] ?? 0);
  const values = [of.total, of.charged, ...bySource, of.in_progress, of.cached, of.canceled, of.failed];
  const codes = Object.entries(of.error_code).toSorted(([, a], [, b]) => b - a);
  return (
    <>
      {values.map((value, i) => (
        <Table.Td key={i} ta="right" c={value === 0 ? 'dimmed' : undefined}>
          {count(value)}
        </Table.Td>
      ))}
      <Table.Td c="dimmed" className={classes.day}>
        {codes.map(([code, n]) => `${code} ${count(n)}`).join(', ')}
      </Table.Td>
    </>
  );
}
