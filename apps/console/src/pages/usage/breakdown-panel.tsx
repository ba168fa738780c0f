import { Table, Text } from '@mantine/core';
import type { UsageDay, UsageDays } from '@capture-service/client';
import { useMemo, useState } from 'react';
import type { Layer } from '../../charts/stack.js';
import { StackedBars } from '../../charts/stacked-bars.js';
import { Swatch } from '../../charts/swatch.js';
import { count, share } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { codeLayers, sourceLayers, valueOf } from './breakdown.js';
import classes from './breakdown-panel.module.css';
import { fullDay, shortDay } from './range.js';

interface BreakdownPanelProps {
  readonly title: string;
  readonly days: readonly UsageDay[];
  readonly layers: readonly Layer[];
  /** What is said when there is nothing to show. */
  readonly empty: string;
}

/** What was charged and what failed on each day of a range. */
export function Breakdowns({ usage }: { readonly usage: UsageDays }) {
  return (
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
    </>
  );
}

/** A chart per day, and beside it the values of the day that is looked at, or the totals of the range. */
function BreakdownPanel({ title, days, layers, empty }: BreakdownPanelProps) {
  const [selected, setSelected] = useState<number | null>(null);
  const ticks = useMemo(() => days.map(({ day }) => shortDay(day)), [days]);
  const day = selected === null ? null : Math.min(selected, days.length - 1);
  const total = layers.reduce((sum, layer) => sum + valueOf(layer, null), 0);
  const when = day === null ? `All ${days.length} days` : fullDay(days[day]?.day ?? '');
  return (
    <Panel title={title} aside={<Text c="dimmed">{`${count(total)} in ${days.length} days`}</Text>}>
      {total === 0 ? (
        <Text c="dimmed">{empty}</Text>
      ) : (
        <div className={classes.parts}>
          <StackedBars
            label={`${title}, per day. The table below has all values.`}
            ticks={ticks}
            layers={layers}
            selected={day}
            onSelect={setSelected}
            valueText={`${when}: ${layers.map((layer) => `${layer.label} ${count(valueOf(layer, day))}`).join(', ')}`}
          />
          <Values when={when} layers={layers} day={day} />
        </div>
      )}
    </Panel>
  );
}

interface ValuesProps {
  readonly when: string;
  readonly layers: readonly Layer[];
  readonly day: number | null;
}

function Values({ when, layers, day }: ValuesProps) {
  const sum = layers.reduce((all, layer) => all + valueOf(layer, day), 0);
  return (
    <Table className="numeric" highlightOnHover={false} withRowBorders={false} verticalSpacing={3}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{when}</Table.Th>
          <Table.Th scope="col" ta="right">
            Captures
          </Table.Th>
          <Table.Th scope="col" ta="right" w="4.5rem">
            Share
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {layers.map((layer) => (
          <Table.Tr key={layer.key}>
            <Table.Td className="breaks">
              <span className={classes.name}>
                <Swatch color={layer.color} />
                {layer.label}
              </span>
            </Table.Td>
            <Table.Td ta="right">{count(valueOf(layer, day))}</Table.Td>
            <Table.Td ta="right" c="dimmed">
              {share(valueOf(layer, day), sum)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
