import { defaultRangeExtractor, useWindowVirtualizer, type Range } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { cellAfter } from './grid-keys.js';
import { savePlace, type Place } from './place.js';

export type View = 'gallery' | 'table';

interface GridSettings {
  readonly view: View;
  /** Number of cells. */
  readonly count: number;
  /** Where to begin, for a person who has come back. */
  readonly place: Place | undefined;
}

const GAP = 12;
/** The narrowest card, in windows of a telephone and of a desk. */
const MIN_CARD = { narrow: 150, wide: 232 };
const NARROW = 600;
/** The texts below the picture of a card. */
const CARD_TEXTS = 84;
const TABLE_ROW = 49;
/** What the bars at the top and the bottom of the window cover. */
const COVERED = { top: 116, bottom: 72 };
const REMEMBERED_AFTER_MS = 150;

export interface Grid {
  readonly columns: number;
  readonly gap: number;
  readonly rowHeight: number;
  /** Height of all rows, in px. */
  readonly height: number;
  /** The rows in the window and some around it. */
  readonly rows: readonly GridRow[];
  /** The cells of these rows. */
  readonly from: number;
  readonly to: number;
  readonly isScrolling: boolean;
  /** The cell that Tab leads to. */
  readonly active: number;
  readonly setActive: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

interface GridRow {
  readonly index: number;
  /** Px from the first row. */
  readonly top: number;
  readonly cells: readonly number[];
}

/** Places cells in rows of which only those in the window exist, and moves the focus between them by keys. */
export function useGrid({ view, count, place }: GridSettings) {
  const element = useRef<HTMLDivElement>(null);
  const { width, top } = useBox(element);
  const columns = view === 'table' ? 1 : columnsIn(width);
  const rowHeight = view === 'table' ? TABLE_ROW : cardHeight(width, columns) + GAP;
  const [active, setActive] = useState(place?.active ?? 0);
  const activeRow = Math.floor(Math.min(active, Math.max(0, count - 1)) / columns);
  const rowCount = Math.ceil(count / columns);
  const virtualizer = useRows({ count: rowCount, rowHeight, top, activeRow, offset: place?.scroll ?? 0 });
  useRememberedPlace(active);
  const focus = useFocus(element, place);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const visibleRows = Math.floor((window.innerHeight - COVERED.top - COVERED.bottom) / rowHeight);
    const next = cellAfter(event.key, active, { columns, count, visibleRows });
    if (next === undefined) return;
    event.preventDefault();
    setActive(next);
    virtualizer.scrollToIndex(Math.floor(next / columns), { align: 'auto' });
    focus(next);
  };
  const rows = virtualizer.getVirtualItems().map(({ index, start }) => ({
    index,
    top: start - top,
    cells: cellsOf(index * columns, Math.min((index + 1) * columns, count)),
  }));
  const grid: Grid = {
    columns,
    gap: GAP,
    rowHeight,
    height: virtualizer.getTotalSize(),
    rows,
    ...cellsInWindow(virtualizer.range, columns),
    isScrolling: virtualizer.isScrolling,
    active,
    setActive,
    onKeyDown,
  };
  return [element, grid] as const;
}

/** The first and last cell of the window; the row with the focus may be far from it. */
function cellsInWindow(range: Pick<Range, 'startIndex' | 'endIndex'> | null, columns: number) {
  const { startIndex, endIndex } = range ?? { startIndex: 0, endIndex: 0 };
  return { from: startIndex * columns, to: (endIndex + 1) * columns - 1 };
}

interface RowSettings {
  readonly count: number;
  readonly rowHeight: number;
  /** Px from the top of the page to the first row. */
  readonly top: number;
  readonly activeRow: number;
  readonly offset: number;
}

function useRows({ count, rowHeight, top, activeRow, offset }: RowSettings) {
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: 3,
    scrollMargin: top,
    scrollPaddingStart: COVERED.top,
    scrollPaddingEnd: COVERED.bottom,
    initialOffset: offset,
    // The focus must not get lost when its row leaves the window.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      const isMissing = activeRow < count && !shown.includes(activeRow);
      return isMissing ? [...shown, activeRow].sort((a, b) => a - b) : shown;
    },
  });
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  return virtualizer;
}

function cellsOf(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

function columnsIn(width: number): number {
  const least = width < NARROW ? MIN_CARD.narrow : MIN_CARD.wide;
  return Math.max(1, Math.floor((width + GAP) / (least + GAP)));
}

/** A card is a picture of 16 to 10 and its texts. */
function cardHeight(width: number, columns: number): number {
  return Math.round((((width - GAP * (columns - 1)) / columns) * 10) / 16) + CARD_TEXTS;
}

interface Box {
  readonly width: number;
  /** Px from the top of the page. */
  readonly top: number;
}

/** Where the element is, known before it is painted. */
function useBox(element: React.RefObject<HTMLDivElement | null>): Box {
  const [box, setBox] = useState<Box>({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      if (!element.current) return;
      const { top, width } = element.current.getBoundingClientRect();
      const next = { width, top: Math.round(top + window.scrollY) };
      setBox((now) => (now.width === next.width && now.top === next.top ? now : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    if (element.current) observer.observe(element.current);
    // A bar above the list that takes more lines moves the list.
    if (element.current?.parentElement?.parentElement)
      observer.observe(element.current.parentElement.parentElement);
    return () => observer.disconnect();
  }, [element]);
  return box;
}

/** Keeps the place in the history while a person scrolls. */
function useRememberedPlace(active: number): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const path = location.pathname;
    const save = () => {
      if (location.pathname === path) savePlace({ scroll: window.scrollY, active });
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(save, REMEMBERED_AFTER_MS);
    };
    if (active > 0) later();
    window.addEventListener('scroll', later, { passive: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener('scroll', later);
    };
  }, [active]);
}

/** Returns what moves the focus to a cell, which may not exist yet. */
function useFocus(element: React.RefObject<HTMLDivElement | null>, place: Place | undefined) {
  const wanted = useRef<number | undefined>(place?.active);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const cell = element.current?.querySelector<HTMLElement>(`a[data-index="${wanted.current}"]`);
    if (!cell) return;
    wanted.current = undefined;
    cell.focus({ preventScroll: true });
  });
  return useCallback((index: number) => {
    wanted.current = index;
  }, []);
}
