import type { PictureBox } from '../record/picture-box.js';

/** Differences are looked for in squares of this many px; a box begins and ends at their edges, or those of the picture. */
const CELL_PX = 16;
const MAX_BOXES = 20;

/** A difference in one place changes what lossy encoders make of others, by less than this of 256 shades. */
const LOSSY_SHADES = 16;

/**
 * The parts in which two pictures of the same size differ, in px: at most 20 boxes, which do not overlap. The decoder is loaded
 * here, because most captures need none.
 */
export async function differingBoxes(
  one: Uint8Array,
  other: Uint8Array,
  isLossy: boolean,
): Promise<PictureBox[]> {
  const { default: sharp } = await import('sharp');
  const open = (picture: Uint8Array) => sharp(picture, { limitInputPixels: false });
  if (!isLossy) {
    // One byte per pixel: 0 where all channels are equal.
    const differing = open(one).boolean(Buffer.from(other), 'eor').bandbool('or').toColourspace('b-w');
    const { data, info } = await differing.raw().toBuffer({ resolveWithObject: true });
    return boxesOf(data, info);
  }
  const decode = (picture: Uint8Array) =>
    open(picture).removeAlpha().greyscale().raw().toBuffer({ resolveWithObject: true });
  const [{ data, info }, { data: shades }] = [await decode(one), await decode(other)];
  data.forEach((shade, i) => {
    data[i] = Math.abs(shade - (shades[i] ?? 0)) >= LOSSY_SHADES ? 1 : 0;
  });
  return boxesOf(data, info);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** `differences` has a byte per pixel, which is 0 where there is none. */
export function boxesOf(differences: Uint8Array, { width, height }: Size): PictureBox[] {
  const columns = Math.ceil(width / CELL_PX);
  const cells = new Uint8Array(columns * Math.ceil(height / CELL_PX));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (differences[y * width + x] !== 0)
        cells[Math.floor(y / CELL_PX) * columns + Math.floor(x / CELL_PX)] = 1;
    }
  }
  const inCells = joined(areasOf(cells, columns));
  return inCells.map(({ left, top, right, bottom }) => ({
    x: left * CELL_PX,
    y: top * CELL_PX,
    width: Math.min(right * CELL_PX, width) - left * CELL_PX,
    height: Math.min(bottom * CELL_PX, height) - top * CELL_PX,
  }));
}

/** The edges of a box in cells; `right` and `bottom` are outside. */
interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The bounds of each group of cells that touch each other, also at corners. */
function areasOf(cells: Uint8Array, columns: number): Area[] {
  const areas: Area[] = [];
  for (let start = 0; start < cells.length; start += 1) {
    if (cells[start] !== 1) continue;
    let area = cellAt(start, columns);
    cells[start] = 0;
    const found = [start];
    for (let at = found.pop(); at !== undefined; at = found.pop()) {
      area = unionOf(area, cellAt(at, columns));
      for (const near of neighbours(at, columns)) {
        if (cells[near] !== 1) continue;
        cells[near] = 0;
        found.push(near);
      }
    }
    areas.push(area);
  }
  return areas;
}

function cellAt(index: number, columns: number): Area {
  const [left, top] = [index % columns, Math.floor(index / columns)];
  return { left, top, right: left + 1, bottom: top + 1 };
}

function neighbours(index: number, columns: number): number[] {
  const column = index % columns;
  return [-1, 0, 1]
    .filter((dx) => column + dx >= 0 && column + dx < columns)
    .flatMap((dx) => [index + dx - columns, index + dx, index + dx + columns]);
}

function unionOf(one: Area, other: Area): Area {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/** Joins areas that overlap, and then those whose union is the least larger, until there are few. */
function joined(areas: readonly Area[]): Area[] {
  let rows = [...areas];
  // Finding the best pair of very many takes too long: those that follow each other from top to bottom are joined first.
  while (rows.length > MAX_BOXES * 3) rows = pairs(rows.toSorted((a, b) => a.top - b.top || a.left - b.left));
  for (;;) {
    const [best] = unions(rows).toSorted((a, b) => a.growth - b.growth);
    if (!best || (best.growth > 0 && rows.length <= MAX_BOXES)) return rows;
    rows = [...rows.filter((_, i) => i !== best.i && i !== best.j), best.union];
  }
}

function pairs(rows: readonly Area[]): Area[] {
  return rows.flatMap((row, i) => (i % 2 === 1 ? [] : [unionOf(row, rows[i + 1] ?? row)]));
}

/** All unions of two areas, and by how many cells each is larger than both; not more than 0 when they overlap. */
function unions(rows: readonly Area[]) {
  const sizeOf = ({ left, top, right, bottom }: Area): number => (right - left) * (bottom - top);
  const overlap = (a: Area, b: Area): boolean =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return rows.flatMap((a, i) =>
    rows.slice(i + 1).map((b, after) => {
      const union = unionOf(a, b);
      return {
        i,
        j: i + 1 + after,
        union,
        growth: overlap(a, b) ? 0 : sizeOf(union) - sizeOf(a) - sizeOf(b),
      };
    }),
  );
}
