export interface GridShape {
  readonly columns: number;
  /** Number of cells. */
  readonly count: number;
  /** Rows of cells that fit into the window. */
  readonly visibleRows: number;
}

/** The cell that a key goes to from cell `index`; undefined for other keys. */
export function cellAfter(
  key: string,
  index: number,
  { columns, count, visibleRows }: GridShape,
): number | undefined {
  const page = Math.max(1, visibleRows - 1) * columns;
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: page,
    PageUp: -page,
    Home: -index,
    End: count - 1 - index,
  };
  const step = steps[key];
  if (step === undefined || count === 0) return undefined;
  const next = index + step;
  if (next < 0) return step === -columns ? index : 0;
  // The last row may be shorter than the one above it.
  return Math.min(next, count - 1);
}
