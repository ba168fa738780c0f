import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Visit } from '../../pipeline/family.js';
import { inPage, isProtocolError, toSource, worldOfPage, type SafeAccess } from '../../pipeline/in-page.js';
import { copyPage, COPYING, type PageCopy } from './page-copy.js';
import { OUTER_NOTES, outerNotes } from './outer-notes.js';
import { omittedIn, PERIPHERY, surroundings, withSiblings, withTitle } from './peripheral-parts.js';
import type { MainContent } from './page-walk.js';

const { resolve } = createRequire(import.meta.url);

/** A page on which it takes longer than that is captured as a whole; ordinary ones take less than a tenth of a second. */
const MAX_MS = 15_000;

interface FindOptions {
  /** Name of the attribute that numbers the elements of the copy; the page cannot know it. */
  readonly attribute: string;
  readonly masks: readonly string[];
}

/** Visits of which the main content was looked for. */
const searched = new WeakSet<Visit>();

/**
 * Looks for the main content of the page and notes it in the isolated world, where a walk starts from it. Returns false when
 * there is none that holds at least a quarter of the visible text: a list of teasers, an application, or a page that is too
 * large or too strange to analyse.
 *
 * Defuddle chooses the element. What it would remove inside that element only counts where it is navigation or the like: its
 * own output loses up to a fourth of the words of technical documentation, such as boxed notes and titles.
 *
 * It takes a tenth of a second. While the page has as many elements, as much text and the same size as before, which other outputs
 * and those of `stable` ask for, what was found is found again.
 */
export async function findMainContent(visit: Visit, masks: readonly string[]): Promise<boolean> {
  const again = searched.has(visit)
    ? await inPage(visit, { run: foundBefore, uses: [fingerprint] }, masks)
    : null;
  if (again !== null) return again;
  searched.add(visit);
  const options: FindOptions = { attribute: `data-${randomUUID()}`, masks };
  const find = toSource({ run: findMain, uses: PARTS });
  const expression = `${await loadEngine()}\n(${find})(${JSON.stringify(options)})`;
  try {
    const { executionContextId: contextId } = await worldOfPage(visit);
    const { result } = await visit.cdp.send('Runtime.evaluate', {
      expression,
      contextId,
      timeout: Math.min(MAX_MS, visit.remainingMs() / 3),
      returnByValue: true,
    });
    return result.value === true;
  } catch (error) {
    visit.signal.throwIfAborted();
    // It ran out of time, or the page navigated; the walk notices the latter itself.
    if (isProtocolError(error)) return false;
    throw error;
  }
}

let engine: Promise<string> | undefined;

/** An expression that keeps the class of Defuddle in the isolated world. */
function loadEngine(): Promise<string> {
  return (engine ??= readFile(resolve('defuddle'), 'utf8').then(
    (code) => `globalThis[Symbol.for('defuddle')] ??= (() => {
      const module = { exports: {} };
      const { exports } = module;
      ${code}
      return module.exports.default ?? module.exports;
    })();`,
  ));
}

/** The part of Defuddle that is used here. */
type Extractor = new (
  copy: Document,
  options: { readonly url: string; readonly useAsync: boolean; readonly standardize: boolean },
) => { parse(): { readonly content: string } };

/** Runs in the page: whether it has a main content, which is kept in the world then. */
function findMain({ attribute, masks }: FindOptions, safe: SafeAccess): boolean {
  const world = globalThis as unknown as Record<symbol, unknown>;
  const [main, defuddle] = [Symbol.for('main'), Symbol.for('defuddle')];
  world[main] = undefined;
  world[Symbol.for('searched')] = fingerprint(masks, safe);
  const copy = copyPage({ attribute, masks }, safe);
  if (!copy) return false;
  const options = { url: '', useAsync: false, standardize: false };
  const { content } = new (world[defuddle] as Extractor)(copy.document, options).parse();
  const kept = new Set<number>();
  for (const [, number] of content.matchAll(new RegExp(`${attribute}="(\\d+)"`, 'g')))
    kept.add(Number(number));
  const [first] = kept;
  if (first === undefined) return false;
  const { root, aside } = withTitle(copy, withSiblings(copy, first));
  const omitted = omittedIn(copy, { root, kept, aside });
  if (!isContent(copy, root, omitted)) return false;
  const at = (number: number): Element => copy.elements[number] as Element;
  const notes = outerNotes(copy, root, omitted);
  const left = new Set(omitted.filter((each) => !notes.includes(each)).map(at));
  // What was in the main content anyway is walked through there.
  const outside = notes.filter((each) => !omitted.includes(each)).map(at);
  world[main] = { root: at(root), omitted: left, notes: outside } satisfies MainContent;
  return true;
}

/** Runs in the page: what the main content is looked for in. */
export function fingerprint(masks: readonly string[], safe: SafeAccess): string {
  const page = safe(document);
  const root = page.documentElement as Element | null;
  const counts = [page.querySelectorAll('*').length, root?.textContent.length];
  return JSON.stringify([masks, counts, root?.clientWidth, root?.scrollHeight]);
}

/** Runs in the page: what the last search found in the same page; null when it has changed, or was not searched. */
function foundBefore(masks: readonly string[], safe: SafeAccess): boolean | null {
  const world = globalThis as unknown as Record<symbol, unknown>;
  if (world[Symbol.for('searched')] !== fingerprint(masks, safe)) return null;
  return world[Symbol.for('main')] !== undefined;
}

/**
 * Runs in the page: whether what is kept of the page is its content, rather than one of many parts of it. An article is content
 * however much is around it; what says little, such as a teaser or a form, is only when it is most of the page.
 */
export function isContent(copy: PageCopy, root: number, omitted: readonly number[]): boolean {
  const ARTICLE = 1_000;
  const NOTICE = 250;
  const keptOf = (counts: readonly number[]): number =>
    omitted.reduce((rest, each) => rest - (counts[each] ?? 0), counts[root] ?? 0);
  const [chars, links, prose] = [keptOf(copy.chars), keptOf(copy.linkChars), keptOf(copy.prose)];
  const beside = surroundings(copy, root);
  const onPage = (counts: readonly number[]): number =>
    beside.reduce((rest, each) => rest - (counts[each] ?? 0), counts[0] ?? 0);
  if (chars === 0) return false;
  if (prose >= ARTICLE && links * 4 <= chars) return true;
  if (prose >= NOTICE && links * 3 <= chars && prose * 4 >= onPage(copy.prose)) return true;
  if (chars * 4 < onPage(copy.chars)) return false;
  const share = (chars - links) / Math.max(1, onPage(copy.chars) - onPage(copy.linkChars));
  // A list of links is the content of a page that has little else.
  return links * 3 <= chars ? share >= 1 / 2 : Math.max(share, chars / onPage(copy.chars)) >= 2 / 3;
}

const PARTS = [isContent, fingerprint, ...OUTER_NOTES, ...COPYING, ...PERIPHERY];
