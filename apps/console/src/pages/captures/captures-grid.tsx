import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { CaptureCard, type CellProps } from './capture-card.js';
import { CaptureLine, TableHead } from './capture-line.js';
import lineClasses from './capture-line.module.css';
import type { CaptureRow } from '../../capture-record/capture-row.js';
import classes from './captures-grid.module.css';
import type { Filters } from './filters.js';
import { isComplete, knownRows, type Listing } from './listing.js';
import { savedPlace, savePlace } from './place.js';
import { useNextPage, useRows } from './use-captures.js';
import { useGrid, type Grid, type View } from './use-grid.js';
import type { Selection } from './use-selection.js';

interface CapturesGridProps {
  readonly filters: Filters;
  /** Undefined while it loads. */
  readonly listing: Listing | undefined;
  readonly view: View;
  readonly selection: Selection;
}

const NO_OLDER = 'Older captures cannot be loaded';

/** Cells that stand for what is being loaded. */
const LOADING_CELLS = 24;

/** All captures of the list, of which only those in the window exist. */
export function CapturesGrid({ filters, listing, view, selection }: CapturesGridProps) {
  const [place] = useState(() => (listing ? savedPlace() : undefined));
  const isEnd = listing !== undefined && isComplete(listing);
  const count = (listing ? knownRows(listing) : 0) + (isEnd ? 0 : LOADING_CELLS);
  const [ref, grid] = useGrid({ view, count, place });
  const span = { from: grid.from, to: grid.to, active: grid.active };
  const rowAt = useRows(filters, listing, span);
  const next = useNextPage(filters, listing, span);
  const onKeyDown = (event: KeyboardEvent) => {
    const isChoice = (event.key === 'c' || event.key === ' ') && event.target instanceof HTMLAnchorElement;
    const row = isChoice ? rowAt(grid.active) : undefined;
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return grid.onKeyDown(event);
    event.preventDefault();
    return selection.toggle(row.id);
  };
  return (
    <>
      <div
        ref={ref}
        role="grid"
        tabIndex={-1}
        aria-label="Captures"
        aria-multiselectable
        aria-rowcount={isEnd ? Math.ceil(count / grid.columns) : -1}
        aria-busy={!listing}
        className={classes.grid}
        data-view={view}
        onKeyDown={onKeyDown}
        onClickCapture={() => savePlace({ scroll: window.scrollY, active: grid.active })}
      >
        {view === 'table' && <TableHead />}
        <Rows grid={grid} view={view} selection={selection} rowAt={rowAt} />
      </div>
      {next.error && <ProblemAlert error={next.error} title={NO_OLDER} onRetry={() => void next.refetch()} />}
    </>
  );
}

interface RowsProps {
  readonly grid: Grid;
  readonly view: View;
  readonly selection: Selection;
  readonly rowAt: (index: number) => CaptureRow | undefined;
}

function Rows({ grid, view, selection, rowAt }: RowsProps) {
  const onToggle = useLatest(selection.toggle);
  const isTable = view === 'table';
  const cell = (index: number): CellProps => {
    const row = rowAt(index);
    return {
      row,
      index,
      isActive: index === grid.active,
      onActive: grid.setActive,
      onToggle,
      isSelected: row !== undefined && selection.ids.includes(row.id),
      isPaused: grid.isScrolling,
    };
  };
  return (
    <div role="presentation" className={classes.space} style={{ height: grid.height }}>
      {grid.rows.map(({ index, top, cells }) => (
        <div
          key={index}
          role="row"
          aria-rowindex={index + (isTable ? 2 : 1)}
          className={isTable ? `${lineClasses.line} ${classes.line}` : classes.cards}
          style={rowStyle(top, grid)}
        >
          {cells.map((at) =>
            isTable ? <CaptureLine key={at} {...cell(at)} /> : <CaptureCard key={at} {...cell(at)} />,
          )}
        </div>
      ))}
    </div>
  );
}

function rowStyle(top: number, { columns, gap, rowHeight }: Grid): CSSProperties {
  const variables = { '--columns': columns, '--gap': `${gap}px` } as CSSProperties;
  return { height: rowHeight, transform: `translateY(${top}px)`, ...variables };
}

/** A function that stays the same, so that a cell is drawn again only when it has changed itself. */
function useLatest(act: (id: string) => void): (id: string) => void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  const [stable] = useState(() => (id: string) => latest.current(id));
  return stable;
}
