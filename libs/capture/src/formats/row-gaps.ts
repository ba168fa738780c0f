/** Decoded rows of a picture, beginning at `top`. */
export interface DecodedRows {
  readonly top: number;
  readonly rows: number;
  readonly width: number;
  readonly channels: 1 | 2 | 3 | 4;
  readonly pixels: Uint8Array;
}

/** Edges that a row may have and still be a gap: those of columns and borders. Letters and pictures have more. */
const MAX_EDGES = 64;
/** Rows of a gap of which a cut stays away from what is above and below. */
const MARGIN = 8;

/** Rows with the same edges, one below the other. */
interface Run {
  readonly from: number;
  readonly edges: number;
  rows: number;
}

/**
 * Finds where a picture can be cut between blocks: the row, between `from` and `to`, that begins the part below. Undefined when
 * there is no gap.
 *
 * The pixels decide, since the page may draw what no script sees. The rows of a gap have their edges (changes of colour from left
 * to right) in the same places: none on a plain background, a few beside a border. Those of a line of text change from row to
 * row. The stems of an I have rows alike as well, and few edges, so that an edge more than the page has anyway counts against a gap by the square.
 */
export function findGap(
  picture: DecodedRows,
  { from, to, wanted }: { readonly from: number; readonly to: number; readonly wanted: number },
): number | undefined {
  const runs = runsOf(picture, from, to).filter(({ rows }) => rows > 1);
  const fewest = Math.min(...runs.map(({ edges }) => edges));
  const distance = (run: Run): number => Math.abs(cutIn(run, wanted) - wanted);
  const [best] = runs
    .map((run) => ({ run, worth: run.rows / (1 + run.edges - fewest) ** 2 }))
    .filter(({ worth }) => worth >= 2)
    .sort((one, other) => other.worth - one.worth || distance(one.run) - distance(other.run));
  return best && cutIn(best.run, wanted);
}

/** The row of a gap that is nearest to the wanted one, with a margin above and below. */
function cutIn({ from, rows }: Run, wanted: number): number {
  const margin = Math.min(MARGIN, Math.floor(rows / 2));
  return Math.min(Math.max(wanted, from + margin), from + rows - margin);
}

function runsOf(picture: DecodedRows, from: number, to: number): Run[] {
  const runs: Run[] = [];
  let before: { readonly bytes: Uint8Array; readonly edges: readonly number[] } | undefined;
  for (let row = from; row < to; row++) {
    const bytes = bytesOf(picture, row);
    const isEqual = before !== undefined && Buffer.compare(bytes, before.bytes) === 0;
    const edges = isEqual && before ? before.edges : edgesOf(picture, bytes);
    const run = runs.at(-1);
    if (run && before && (isEqual || haveSame(edges, before.edges))) run.rows += 1;
    else runs.push({ from: row, edges: edges.length, rows: 1 });
    before = { bytes, edges };
  }
  return runs;
}

function bytesOf({ top, width, channels, pixels }: DecodedRows, row: number): Uint8Array {
  const length = width * channels;
  return pixels.subarray((row - top) * length, (row - top + 1) * length);
}

/** Where the colour changes, up to `MAX_EDGES` times. */
function edgesOf({ channels }: DecodedRows, bytes: Uint8Array): number[] {
  const edges: number[] = [];
  for (let at = channels; at < bytes.length && edges.length < MAX_EDGES; at++) {
    if (bytes[at] === bytes[at - channels]) continue;
    const column = Math.floor(at / channels);
    edges.push(column);
    at = (column + 1) * channels - 1;
  }
  return edges;
}

/** Whether two rows that are not equal have the same few edges, as the rows of a gradient from top to bottom have. */
function haveSame(one: readonly number[], other: readonly number[]): boolean {
  return (
    one.length < MAX_EDGES && one.length === other.length && one.every((column, i) => column === other[i])
  );
}
