import type { CrawlPage, CrawlPageList } from '@capture-service/client';

/** A part of the list of pages, as it was read at a cursor. */
interface Part {
  readonly cursor: string | undefined;
  readonly items: readonly CrawlPage[];
  readonly next: string | null;
}

/** The pages of a crawl as far as they have been read. */
export interface KnownPages {
  readonly parts: readonly Part[];
  /** Whether the list was read to its end, which moves while the crawl finds further pages. */
  readonly isComplete: boolean;
  /** Whether nothing can change any more. */
  readonly isFinal: boolean;
  /** How many times the list was read. */
  readonly turn: number;
}

export const NO_PAGES: KnownPages = { parts: [], isComplete: false, isFinal: false, turn: 0 };

/** Pages of one request, as many as the service allows. */
export const PART_PAGES = 100;
/** Requests for parts that are not known yet, before what is known is shown. */
const PARTS_AT_ONCE = 5;
/** Parts that are read again at once: thousands of pages that wait must not be thousands of reads. */
const RENEWED_AT_ONCE = 3;

interface Reading {
  /** Whether the crawl has ended. */
  readonly isOver: boolean;
  readonly read: (cursor: string | undefined) => Promise<CrawlPageList>;
}

/**
 * Reads what is missing: first the list to its end, a few parts at a time, then again the parts in which something can have changed.
 * Pages are captured about in the order of the list, so that these are the first parts with a page that waits, and the last one.
 */
export async function readOn(known: KnownPages, { isOver, read }: Reading): Promise<KnownPages> {
  const readPart = async (cursor: string | undefined): Promise<Part> => {
    const { items, next_cursor: next } = await read(cursor);
    return { cursor, items, next };
  };
  const stale = known.isComplete ? staleParts(known, isOver) : [];
  const parts = [...known.parts];
  await Promise.all(
    stale.map(async (i) => {
      parts[i] = await readPart(parts[i]?.cursor);
    }),
  );
  for (let i = 0; i < PARTS_AT_ONCE && hasMore(parts); i++) {
    parts.push(await readPart(parts.at(-1)?.next ?? undefined));
  }
  const isComplete = !hasMore(parts);
  return { parts, isComplete, isFinal: isComplete && isOver && known.isComplete, turn: known.turn + 1 };
}

function hasMore(parts: readonly Part[]): boolean {
  const last = parts.at(-1);
  return last === undefined || last.next !== null;
}

/** The parts that are read again, as indexes. Once the crawl is over, all of them, so that nothing is missed. */
function staleParts({ parts, turn }: KnownPages, isOver: boolean): number[] {
  const last = parts.length - 1;
  const waiting = parts.flatMap(({ items }, i) =>
    i !== last && items.some(({ outcome }) => outcome === null) ? [i] : [],
  );
  if (isOver) return [...waiting, last];
  // One that takes long must not keep the later ones from being read.
  const inTurn = waiting[turn % Math.max(1, waiting.length)] ?? last;
  return [...new Set([...waiting.slice(0, RENEWED_AT_ONCE), inTurn, last])];
}

/** The pages in their order. Parts that were read at different times may both have a page. */
export function pagesIn({ parts }: KnownPages): CrawlPage[] {
  let last = 0;
  const pages: CrawlPage[] = [];
  for (const page of parts.flatMap(({ items }) => items)) {
    if (page.number <= last) continue;
    last = page.number;
    pages.push(page);
  }
  return pages;
}
