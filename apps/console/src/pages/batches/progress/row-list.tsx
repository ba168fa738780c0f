import { useElementSize } from '@mantine/hooks';
import type { BatchRecord, CaptureRecord } from '@capture-service/client';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useState } from 'react';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import type { RowStatus } from '../batch-counts.js';
import classes from './batch.module.css';
import { RowCard, RowLine } from './row-views.js';
import type { OnRenew } from './use-shown-batch.js';
import { useRows } from './use-rows.js';

export type RowView = 'grid' | 'list';

interface RowListProps {
  readonly batch: BatchRecord;
  readonly filter: RowStatus | 'all';
  readonly view: RowView;
  readonly onRenew: OnRenew;
}

const CARD_MIN_PX = 184;
const CARD_PX = 188;
/** As in batch.module.css, where a line of a narrow page has two rows of text. */
const LINE_PX = 45;
const NARROW_LINE_PX = 72;
const NARROW = '(max-width: 48em)';
const GAP_PX = 12;
/** Lines in view before the page is measured. */
const FIRST_LINES = { startIndex: 0, endIndex: 8 };

/** The rows of a batch, of which only those in view are in the page. Rows that are not loaded yet have their place. */
export function RowList({ batch, filter, view, onRenew }: RowListProps) {
  const { ref, width } = useElementSize();
  const perLine = view === 'grid' ? Math.max(1, Math.floor((width + GAP_PX) / (CARD_MIN_PX + GAP_PX))) : 1;
  const [inView, setInView] = useState(FIRST_LINES);
  const { pages, error } = useRows({
    batchId: batch.id,
    filter,
    onRenew,
    first: inView.startIndex * perLine,
    last: (inView.endIndex + 1) * perLine - 1,
  });
  const expected = filter === 'all' ? batch.total : batch.counts[filter];
  const total = pages.isComplete ? pages.rows.length : Math.max(pages.rows.length, expected);
  const { lines, top, measureTop } = useLines({ total, perLine, view, onRange: setInView });
  if (error) return <ProblemAlert error={error} title="The rows could not be read" />;
  return (
    <div ref={ref}>
      <div
        ref={measureTop}
        role="list"
        className={classes.rows}
        style={{ height: lines.getTotalSize() }}
        aria-label="Rows"
      >
        {lines.getVirtualItems().map(({ index, start }) => (
          <Line
            key={index}
            rows={range(index * perLine, Math.min(total, (index + 1) * perLine))}
            at={start - top}
            view={view}
            perLine={perLine}
            rowAt={(row) => pages.rows[row]}
            total={total}
          />
        ))}
      </div>
    </div>
  );
}

interface Lines {
  readonly total: number;
  readonly perLine: number;
  readonly view: RowView;
  readonly onRange: (range: typeof FIRST_LINES) => void;
}

/** The lines of rows in view, and where their list begins on the page. */
function useLines({ total, perLine, view, onRange }: Lines) {
  const [top, setTop] = useState(0);
  const lines = useWindowVirtualizer({
    count: Math.ceil(total / perLine),
    estimateSize: () => (view === 'grid' ? CARD_PX + GAP_PX : lineHeight()),
    overscan: view === 'grid' ? 2 : 8,
    scrollMargin: top,
    onChange: ({ range }) => range && onRange(range),
  });
  useEffect(() => lines.measure(), [view, perLine, lines]);
  const measureTop = (element: HTMLElement | null): void => {
    if (element) setTop(element.getBoundingClientRect().top + window.scrollY);
  };
  return { lines, top, measureTop };
}

interface LineProps {
  readonly rows: readonly number[];
  readonly at: number;
  readonly view: RowView;
  readonly perLine: number;
  readonly total: number;
  readonly rowAt: (row: number) => CaptureRecord | undefined;
}

function Line({ rows, at, view, perLine, total, rowAt }: LineProps) {
  const Row = view === 'grid' ? RowCard : RowLine;
  const template = view === 'grid' ? `repeat(${perLine}, minmax(0, 1fr))` : 'minmax(0, 1fr)';
  return (
    <div
      role="presentation"
      className={classes.lineOf}
      style={{ transform: `translateY(${at}px)`, gridTemplateColumns: template }}
    >
      {rows.map((row) => (
        <div key={row} role="listitem" aria-posinset={row + 1} aria-setsize={total}>
          <Row record={rowAt(row)} />
        </div>
      ))}
    </div>
  );
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

function lineHeight(): number {
  return window.matchMedia(NARROW).matches ? NARROW_LINE_PX : LINE_PX;
}
