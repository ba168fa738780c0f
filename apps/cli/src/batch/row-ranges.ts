const RANGE = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/;

/** Writes ascending row numbers as `1-4,7`, so that the state of a batch of thousands of rows stays short. */
export function formatRows(rows: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const row of rows) {
    const last = ranges.at(-1);
    if (last?.[1] === row - 1) last[1] = row;
    else ranges.push([row, row]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** The row numbers of `1-4,7`; undefined for another text. */
export function parseRows(text: string): number[] | undefined {
  const rows: number[] = [];
  for (const part of text.split(',')) {
    const [, from, to = from] = RANGE.exec(part) ?? [];
    if (from === undefined || Number(to) < Number(from) || Number(from) <= (rows.at(-1) ?? 0))
      return undefined;
    for (let row = Number(from); row <= Number(to); row++) rows.push(row);
  }
  return rows;
}
