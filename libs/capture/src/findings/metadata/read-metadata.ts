import { MAX_TEXT, withTimeout } from '@app/kernel';
import type { PageMetadata } from '../../record/page-metadata.js';
import { inPage, type ScriptTarget } from '../../pipeline/in-page.js';
import type { ReadLimits } from './page-collector.js';
import { PAGE_READER } from './read-page.js';
import { MAX_ITEMS } from './field-bounds.js';
import { toMetadata, unreadMetadata } from './to-metadata.js';

const LIMITS: ReadLimits = {
  items: MAX_ITEMS,
  text: MAX_TEXT.content,
  // Items as JSON have less than twice as many bytes, save for other scripts than Latin.
  listText: 128_000,
  // A chapter of a manual has 5,000 nodes, the largest pages of the web have some 100,000.
  nodes: 1_000_000,
  depth: 1_000,
  timeMs: 2_000,
};

/** The reader stops by itself before; a page that is busy does not let it begin, nor be rendered. */
const MAX_WAIT_MS = 5_000;

/**
 * Reads what the page says about itself. Never rejects, because a page that cannot be read is captured all the same: what is
 * missing is named in `truncated`.
 */
export async function readMetadata(visit: ScriptTarget): Promise<PageMetadata> {
  const read = inPage(visit, PAGE_READER, LIMITS);
  return withTimeout(read, MAX_WAIT_MS, 'reading the metadata').then(toMetadata).catch(unreadMetadata);
}
