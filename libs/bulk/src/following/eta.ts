/** What the pace of a batch is reckoned from. */
export interface Pace {
  /** Rows that a worker ended in this time. */
  readonly rows: number;
  readonly spanS: number;
}

/**
 * Seconds in which so many rows end at this pace; null while there is no pace. The span lasts to the present, so the
 * longer nothing ends the longer it is going to take.
 */
export function etaS(left: number, { rows, spanS }: Pace): number | null {
  if (left === 0) return 0;
  if (rows === 0) return null;
  return Math.max(1, Math.ceil((left * spanS) / rows));
}
