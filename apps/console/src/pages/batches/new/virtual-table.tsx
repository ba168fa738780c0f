import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import classes from './new-batch.module.css';

interface VirtualTableProps {
  readonly label: string;
  /** The widths of the columns, as in `grid-template-columns`. */
  readonly template: string;
  readonly columns: readonly string[];
  readonly count: number;
  /** The cells of a row. */
  readonly cells: (index: number) => readonly ReactNode[];
  readonly isMarked?: (index: number) => boolean;
  /** The row to show. */
  readonly at?: number | undefined;
}

const ROW_PX = 32;

/** A table of thousands of rows, of which only those in view are in the page. */
export function VirtualTable({ label, template, columns, count, cells, isMarked, at }: VirtualTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  useEffect(() => {
    if (at !== undefined) rows.scrollToIndex(at, { align: 'center' });
  }, [at, rows]);
  return (
    <div ref={scroller} className={classes.scroller} tabIndex={0} role="region" aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={count + 1} className={classes.table}>
        <Head template={template} columns={columns} />
        <div role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              ref={rows.measureElement}
              data-index={index}
              role="row"
              aria-rowindex={index + 2}
              data-marked={isMarked?.(index) || undefined}
              className={`${classes.row} ${classes.virtual}`}
              style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
            >
              {cells(index).map((cell, i) => (
                <div role="cell" key={i} className={classes.cell}>
                  {cell}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function Head({ template, columns }: Pick<VirtualTableProps, 'template' | 'columns'>) {
  return (
    <div role="rowgroup" className={classes.head}>
      <div role="row" className={classes.row} style={{ gridTemplateColumns: template }}>
        {columns.map((column, i) => (
          <div role="columnheader" key={i} dir="auto" className={classes.cell} title={column}>
            {column}
          </div>
        ))}
      </div>
    </div>
  );
}
