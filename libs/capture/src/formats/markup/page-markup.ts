import { AppError } from '@app/kernel';
import { inWorld, type InPageWith, type IsolatedWorld, type SafeAccess } from '../../pipeline/in-page.js';
import { readBlobs } from './blob-urls.js';
import { findChangedSheets } from './changed-sheets.js';
import { findClosedRoots } from './closed-roots.js';
import { CssUrls } from './css-urls.js';
import { ElementAttributes, PICTURE_LIMITS } from './element-attributes.js';
import { MarkupWalk, type KnownNodes } from './markup-walk.js';
import { PageUrls } from './page-urls.js';
import { SheetTexts } from './sheet-texts.js';
import { Tags, type WalkSettings } from './tags.js';

/** The file is in UTF-8. */
export const CHARSET = '<meta charset="utf-8">';

/** Characters of one message from the page: a page can make its DOM, or a part of it, as long as its memory allows. */
const PIECE_CHARS = 1_000_000;
/** Limits of the resources of a document; a URL can have 2 MB. */
const RESOURCES = { count: 3_000, length: 8_192, chars: 2_000_000 } as const;

export interface MarkupRequest extends WalkSettings {
  /** Only the first match is written. */
  readonly selector: string | null;
}

export interface Markup {
  /** In UTF-8. */
  readonly bytes: Buffer;
  /** Absolute URLs of what the document shows. */
  readonly resources: readonly string[];
}

/**
 * Writes the document of a frame as HTML, as it stands, without changing it. It is read in pieces, so that one of more than
 * `maxChars` is never held as a whole.
 *
 * @throws AppError `selector_not_found`, `resource_limit`
 */
export async function readMarkup(world: IsolatedWorld, request: MarkupRequest): Promise<Markup> {
  const { selector } = request;
  await findClosedRoots(world);
  await readBlobs(world);
  await findChangedSheets(world);
  const fault = await inWorld(world, START, { request, limits: PICTURE_LIMITS });
  if (typeof fault === 'string') {
    throw new AppError('selector_not_found', { detail: `selector (${String(selector)}) ${fault}.` });
  }
  const pieces: Buffer[] = [];
  for (;;) {
    const piece: Piece | null = await inWorld(world, takePiece, { maxChars: PIECE_CHARS, limits: RESOURCES });
    if (!piece) throw new Error('The page navigated while it was read.');
    pieces.push(Buffer.from(String(piece.text), 'utf8'));
    if (piece.state === 'too long') throw tooLong(request.maxChars);
    if (piece.state === 'complete') {
      const resources = Array.isArray(piece.resources) ? piece.resources.map(String) : [];
      return { bytes: Buffer.concat(pieces), resources };
    }
  }
}

export function tooLong(maxBytes: number): AppError {
  return new AppError('resource_limit', { detail: `The file has more than ${maxBytes} bytes.` });
}

const TITLE_CHARS = 300;

/** The title of a document, cut, on one line. */
export async function readTitle(world: IsolatedWorld): Promise<string> {
  const title: unknown = await inWorld(world, titleOf, TITLE_CHARS);
  return String(title).slice(0, TITLE_CHARS);
}

/** Runs in the page. */
function titleOf(length: number, safe: SafeAccess): string {
  return safe(document)
    .title.toWellFormed()
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '');
}

interface Piece {
  readonly text: string;
  readonly state: 'partial' | 'complete' | 'too long';
  readonly resources: readonly string[];
}

interface Running {
  readonly walk: MarkupWalk;
  readonly resources: ReadonlySet<string>;
}

/** Kept in the isolated world between two calls, under symbols: an element's name could shadow a string. */
type World = Record<symbol, unknown>;

interface StartRequest {
  readonly request: MarkupRequest;
  readonly limits: typeof PICTURE_LIMITS;
}

/** Runs in the page. Returns what is wrong with the selector, or null. */
function startMarkup({ request, limits }: StartRequest, safe: SafeAccess): string | null {
  const world = globalThis as unknown as World;
  const page = safe(document);
  let start: Node | null = document;
  try {
    if (request.selector !== null) start = page.querySelector(request.selector);
  } catch {
    return 'is not a selector that the browser knows';
  }
  if (!start) return 'matches nothing on the page';
  const known: KnownNodes = {
    own: (world[Symbol.for('own')] ?? new WeakSet()) as WeakSet<object>,
    closedRoots: (world[Symbol.for('closed roots')] ?? new Map()) as Map<Element, ShadowRoot>,
    frames: (world[Symbol.for('frames')] ?? new Map()) as Map<Element, string>,
  };
  const changed = (world[Symbol.for('changed sheets')] ?? new WeakSet()) as WeakSet<object>;
  const blobs = (world[Symbol.for('blobs')] ?? new Map()) as Map<string, string>;
  const resources = new Set<string>();
  const walk = new MarkupWalk(page, request, {
    safe,
    known,
    attributes: new ElementAttributes(request, limits),
    tags: new Tags(request),
    sheets: new SheetTexts({ own: known.own, changed }),
    urlsOf: (each, base) => new PageUrls(each, { css: CssUrls, resources, blobs }, base),
  });
  walk.start(start);
  world[Symbol.for('markup')] = { walk, resources } satisfies Running;
  return null;
}

const START: InPageWith<StartRequest, string | null> = {
  run: startMarkup,
  uses: [CssUrls, PageUrls, SheetTexts, ElementAttributes, Tags, MarkupWalk],
};

/** Runs in the page. Null when the page has navigated since the walk started. */
function takePiece({
  maxChars,
  limits,
}: {
  readonly maxChars: number;
  readonly limits: typeof RESOURCES;
}): Piece | null {
  const running = (globalThis as unknown as World)[Symbol.for('markup')] as Running | undefined;
  if (!running) return null;
  const { walk } = running;
  const text = walk.takeMarkup(maxChars);
  const state = walk.isTooLong ? 'too long' : walk.isComplete ? 'complete' : 'partial';
  let chars = 0;
  const resources =
    state !== 'complete'
      ? []
      : [...running.resources]
          .filter(({ length }) => length <= limits.length && (chars += length) <= limits.chars)
          .slice(0, limits.count);
  return { text, state, resources };
}
