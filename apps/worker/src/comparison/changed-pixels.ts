import type { PictureBox } from '@app/capture';

/** Changes are collected in squares of this many px; changes in squares that touch are one. */
const CELL_PX = 16;

/** Edges in px; `right` and `bottom` are inside. */
interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The pixels that differ between two pictures: their number, and the boxes around groups of them. */
export class ChangedPixels {
  private count = 0;
  private readonly columns: number;
  /** The edges of the changes in each cell, by its index. */
  private readonly cells = new Map<number, Edges>();

  constructor(width: number) {
    this.columns = Math.ceil(width / CELL_PX);
  }

  get size(): number {
    return this.count;
  }

  /** Adds the pixels of a row where `marks` is 0. */
  addRow(y: number, marks: Uint8Array): void {
    for (let start = 0; start < marks.length; start += CELL_PX) {
      const end = Math.min(start + CELL_PX, marks.length);
      let [left, right] = [-1, -1];
      for (let x = start; x < end; x += 1) {
        if (marks[x] !== 0) continue;
        if (left < 0) left = x;
        right = x;
        this.count += 1;
      }
      if (left >= 0) this.extend(left, y, { left, top: y, right, bottom: y });
    }
  }

  /** Up to `max` boxes, from top to bottom. Changes that are near each other share one when there would be more. */
  boxes(max: number): PictureBox[] {
    let groups = inReadingOrder(this.groups());
    while (groups.length > max) groups = inReadingOrder(pairs(groups));
    return groups.map(({ left, top, right, bottom }) => ({
      x: left,
      y: top,
      width: right - left + 1,
      height: bottom - top + 1,
    }));
  }

  private extend(x: number, y: number, edges: Edges): void {
    const index = Math.floor(y / CELL_PX) * this.columns + Math.floor(x / CELL_PX);
    const cell = this.cells.get(index);
    if (cell) unite(cell, edges);
    else this.cells.set(index, edges);
  }

  /** The groups of changes whose cells touch, also at corners. */
  private groups(): Edges[] {
    // The empty column at each side keeps rows apart.
    const columns = this.columns + 2;
    const open = new Map<number, Edges>();
    for (const [index, edges] of this.cells) {
      const row = Math.floor(index / this.columns);
      open.set(row * columns + (index % this.columns) + 1, { ...edges });
    }
    const steps = [-columns, 0, columns].flatMap((row) => [row - 1, row, row + 1]);
    const groups: Edges[] = [];
    for (const [start, edges] of open) {
      open.delete(start);
      const found = [start];
      for (let at = found.pop(); at !== undefined; at = found.pop()) {
        for (const step of steps) {
          const near = open.get(at + step);
          if (!near) continue;
          open.delete(at + step);
          unite(edges, near);
          found.push(at + step);
        }
      }
      groups.push(edges);
    }
    return groups;
  }
}

function inReadingOrder(groups: readonly Edges[]): Edges[] {
  return groups.toSorted((a, b) => a.top - b.top || a.left - b.left);
}

/** Unites each two that follow each other. */
function pairs(groups: readonly Edges[]): Edges[] {
  return groups.flatMap((group, i) => {
    const next = groups[i + 1];
    if (i % 2 === 1) return [];
    if (next) unite(group, next);
    return [group];
  });
}

function unite(one: Edges, other: Edges): void {
  one.left = Math.min(one.left, other.left);
  one.top = Math.min(one.top, other.top);
  one.right = Math.max(one.right, other.right);
  one.bottom = Math.max(one.bottom, other.bottom);
}

/** The number of px of a part that these boxes cover. */
export function coveredPixels(boxes: readonly PictureBox[], part: PictureBox): number {
  const inside = boxes.flatMap((box) => intersection(box, part) ?? []);
  const edges = [...new Set(inside.flatMap(({ y, height }) => [y, y + height]))].sort((a, b) => a - b);
  return edges.slice(1).reduce((covered, bottom, i) => {
    const top = edges[i] ?? bottom;
    const row = inside.filter(({ y, height }) => y <= top && bottom <= y + height);
    return covered + (bottom - top) * unitedWidth(row);
  }, 0);
}

function unitedWidth(row: readonly PictureBox[]): number {
  let [width, end] = [0, 0];
  for (const box of row.toSorted((a, b) => a.x - b.x)) {
    const right = box.x + box.width;
    if (right > end) width += right - Math.max(end, box.x);
    end = Math.max(end, right);
  }
  return width;
}

/** The part of a box that lies inside of another; undefined when there is none. */
export function intersection(one: PictureBox, other: PictureBox): PictureBox | undefined {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}
