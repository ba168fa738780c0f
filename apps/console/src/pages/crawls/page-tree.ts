import type { CrawlPage } from '@capture-service/client';
import { shortUrl } from '../../ui/format.js';

export type Outcome = NonNullable<CrawlPage['outcome']> | 'pending';

/** How many pages a folder has in and below it, by their outcome. */
export type OutcomeCounts = Readonly<Record<Outcome, number>>;

/** A host, a folder of it, or a page. A folder that is a page as well has both. */
export interface TreeNode {
  /** The address up to here; that of a folder ends with a slash. */
  readonly key: string;
  readonly name: string;
  readonly page: CrawlPage | undefined;
  readonly counts: OutcomeCounts;
  readonly children: ReadonlyMap<string, TreeNode>;
}

interface GrowingNode extends TreeNode {
  page: CrawlPage | undefined;
  readonly counts: Record<Outcome, number>;
  readonly children: Map<string, GrowingNode>;
}

/** A row of the tree: what is in a folder that is closed has none. */
export interface TreeRow {
  readonly node: TreeNode;
  /** From 1. */
  readonly level: number;
  readonly isOpen: boolean;
  /** The place among its siblings, from 1, and their number. */
  readonly place: number;
  readonly siblings: number;
  /** The index of the row of its folder; -1 for a host. */
  readonly parent: number;
}

export function outcomeOf({ outcome }: CrawlPage): Outcome {
  return outcome ?? 'pending';
}

export function countOutcomes(pages: readonly CrawlPage[]): OutcomeCounts {
  const counts = noOutcomes();
  for (const page of pages) counts[outcomeOf(page)] += 1;
  return counts;
}

export function totalOf({ ok, broken, canceled, pending }: OutcomeCounts): number {
  return ok + broken + canceled + pending;
}

/** Puts pages into the folders of their addresses. Returns the hosts. */
export function treeOf(pages: readonly CrawlPage[]): ReadonlyMap<string, TreeNode> {
  const hosts = new Map<string, GrowingNode>();
  for (const page of pages) {
    const outcome = outcomeOf(page);
    let siblings = hosts;
    let node: GrowingNode | undefined;
    let key = '';
    for (const part of partsOf(page.url)) {
      key += part;
      node = siblings.get(part) ?? grow(siblings, part, key);
      node.counts[outcome] += 1;
      siblings = node.children;
    }
    if (node) node.page = page;
  }
  return hosts;
}

function grow(siblings: Map<string, GrowingNode>, part: string, key: string): GrowingNode {
  const name = key === part ? shortUrl(part) : part;
  const node = { key, name, page: undefined, counts: noOutcomes(), children: new Map<string, GrowingNode>() };
  siblings.set(part, node);
  return node;
}

function noOutcomes(): Record<Outcome, number> {
  return { ok: 0, broken: 0, canceled: 0, pending: 0 };
}

/** `https://a.example/guide/list?page=2` has the parts `https://a.example/`, `guide/` and `list?page=2`. */
function partsOf(url: string): string[] {
  const rootEnd = url.indexOf('/', url.indexOf('//') + 2) + 1;
  const query = url.indexOf('?', rootEnd);
  const pathEnd = query === -1 ? url.length : query;
  const parts = [url.slice(0, rootEnd)];
  let begin = rootEnd;
  for (
    let slash = url.indexOf('/', begin);
    slash !== -1 && slash < pathEnd;
    slash = url.indexOf('/', begin)
  ) {
    parts.push(url.slice(begin, slash + 1));
    begin = slash + 1;
  }
  if (begin < url.length) parts.push(url.slice(begin));
  return parts;
}

/** The keys of the host and the folders in which an address is. */
export function foldersOf(url: string): ReadonlySet<string> {
  let key = '';
  return new Set(partsOf(url).flatMap((part) => (part.endsWith('/') ? [(key += part)] : [])));
}

/** The rows of all that is in open folders, folders first, then by name. */
export function rowsOf(hosts: ReadonlyMap<string, TreeNode>, isOpen: (node: TreeNode) => boolean): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (nodes: ReadonlyMap<string, TreeNode>, level: number, parent: number): void => {
    for (const [i, node] of sorted(nodes).entries()) {
      const opens = isFolder(node) && isOpen(node);
      rows.push({ node, level, isOpen: opens, place: i + 1, siblings: nodes.size, parent });
      if (opens) add(node.children, level + 1, rows.length - 1);
    }
  };
  add(hosts, 1, -1);
  return rows;
}

/** Whether it has something in it. */
export function isFolder({ children }: TreeNode): boolean {
  return children.size > 0;
}

/** `chapter-2` stands before `chapter-10`. */
function sorted(nodes: ReadonlyMap<string, TreeNode>): TreeNode[] {
  const byName = [...nodes.values()].map((node) => {
    const name = node.name.replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'));
    return { node, order: `${isFolder(node) ? 0 : 1}${name}` };
  });
  byName.sort((a, b) => (a.order < b.order ? -1 : 1));
  return byName.map(({ node }) => node);
}

const DIGITS = 12;

/** What a key of the keyboard does in the tree: another row is the active one, or its folder is opened or closed. */
export type TreeMove = { readonly active: number } | { readonly toggle: TreeNode } | undefined;

interface TreePlace {
  readonly rows: readonly TreeRow[];
  /** The index of the active row. */
  readonly active: number;
  /** Rows that are in view. */
  readonly inView: number;
}

/** As the pattern for trees of the ARIA Authoring Practices says. */
export function moveOf(key: string, { rows, active, inView }: TreePlace): TreeMove {
  const row = rows[active];
  if (!row) return undefined;
  const isClosed = isFolder(row.node) && !row.isOpen;
  switch (key) {
    case 'ArrowRight':
      if (isClosed) return { toggle: row.node };
      return row.isOpen ? { active: active + 1 } : undefined;
    case 'ArrowLeft':
      if (row.isOpen) return { toggle: row.node };
      return row.parent === -1 ? undefined : { active: row.parent };
    case ' ':
      return isFolder(row.node) ? { toggle: row.node } : undefined;
    default: {
      const step = STEPS[key]?.(rows.length, inView);
      if (step === undefined) return undefined;
      return { active: Math.min(rows.length - 1, Math.max(0, active + step)) };
    }
  }
}

const STEPS: Readonly<Record<string, (count: number, inView: number) => number>> = {
  ArrowDown: () => 1,
  ArrowUp: () => -1,
  Home: (count) => -count,
  End: (count) => count,
  PageDown: (_, inView) => inView,
  PageUp: (_, inView) => -inView,
};
