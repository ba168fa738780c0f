import { useMemo } from 'react';
import { count } from '../../../ui/format.js';
import { textOf, type RowFault } from './faults.js';
import classes from './new-batch.module.css';
import type { BatchSource } from './sources.js';
import { VirtualTable } from './virtual-table.js';

interface RowPreviewProps {
  readonly source: BatchSource;
  readonly names: readonly (string | null)[];
  readonly faults: readonly RowFault[];
  /** The row to show. */
  readonly row: number | undefined;
}

/** A cell shows no more than this: one may hold a megabyte of HTML. */
const MAX_SHOWN = 200;

/** All rows as they are sent, the faulty ones marked. */
export function RowPreview({ source, names, faults, row }: RowPreviewProps) {
  const grid = useMemo(() => gridOf(source, names), [source, names]);
  const wrong = useMemo(() => faultsByCell(faults), [faults]);
  const bad = useMemo(() => new Set(faults.map((each) => each.row)), [faults]);
  return (
    <VirtualTable
      label="Rows"
      template={`4.5rem repeat(${grid.columns.length}, minmax(8rem, 1fr))`}
      columns={['Row', ...grid.columns]}
      count={grid.count}
      isMarked={(index) => bad.has(index + 1)}
      at={row === undefined ? undefined : row - 1}
      cells={(index) => [
        <span key="row" className="numeric">
          {count(index + 1)}
        </span>,
        ...grid.columns.map((column, i) => {
          const fault = wrong.get(`${index + 1} ${column}`);
          return (
            <bdi
              key={i}
              className={classes.oneLine}
              data-wrong={fault !== undefined || undefined}
              title={fault ?? undefined}
            >
              {grid.cell(index, i).slice(0, MAX_SHOWN)}
            </bdi>
          );
        }),
      ]}
    />
  );
}

interface Grid {
  readonly columns: readonly string[];
  readonly count: number;
  cell(row: number, column: number): string;
}

function gridOf(source: BatchSource, names: readonly (string | null)[]): Grid {
  if (source.kind === 'csv') {
    const kept = names.flatMap((name, i) => (name === null ? [] : [i]));
    const rows = source.table?.rows ?? [];
    return {
      columns: kept.map((i) => names[i] ?? ''),
      count: rows.length,
      cell: (row, column) => rows[row]?.[kept[column] ?? -1] ?? '',
    };
  }
  const items = source.items as readonly Readonly<Record<string, unknown>>[];
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  return {
    columns,
    count: items.length,
    cell: (row, column) => textOf(items[row]?.[columns[column] ?? '']),
  };
}

function faultsByCell(faults: readonly RowFault[]): ReadonlyMap<string, string> {
  return new Map(faults.map(({ row, column, detail }) => [`${row} ${column}`, `${column} ${detail}`]));
}
