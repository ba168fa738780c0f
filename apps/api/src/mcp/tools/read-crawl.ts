import type { CallToolResult } from '@modelcontextprotocol/server';
import { CaptureError, type CrawlPage, type CrawlRecord } from '@capture-service/client';
import { cut, UNTRUSTED } from '../capture-result.js';
import { ID_PATTERN, MAX_RESOURCE_BYTES } from '../resources.js';
import type { Tool, ToolCall } from '../tool.js';
import { cursorBefore } from './get-crawl.js';
import { DEFAULT_CHARACTERS, enclosed, endOfPart, MAX_CHARACTERS, textFileOf } from './text-part.js';

/** Pages that a call looks at: each makes two requests of the account. */
const MAX_PAGES = 10;
/** A part that is shorter is left to the next call. */
const MIN_PART = 500;
const MAX_TITLE = 200;
const MAX_URL = 500;

/** Where a text begins: at this character of the page with this number. */
interface Place {
  readonly first_page: number;
  readonly start: number;
}

interface Arguments extends Partial<Place> {
  readonly id: string;
  readonly max_characters?: number;
}

export const READ_CRAWL: Tool = {
  name: 'read_crawl',
  title: 'Read the pages of a crawl',
  description:
    'Returns the text of the pages of a crawl that were captured as markdown, one after the other, in parts: the result says how to read on. It costs nothing.',
  isOpenWorld: false,
  inputSchema: () => ({
    type: 'object',
    properties: {
      id: { type: 'string', pattern: ID_PATTERN },
      first_page: { type: 'integer', minimum: 1, default: 1, description: 'Number of the first page.' },
      start: { type: 'integer', minimum: 0, default: 0, description: 'Its character to start at.' },
      max_characters: {
        type: 'integer',
        minimum: MIN_PART,
        maximum: MAX_CHARACTERS,
        default: DEFAULT_CHARACTERS,
      },
    },
    required: ['id'],
    additionalProperties: false,
  }),
  run: async (args, call) => {
    const {
      id,
      first_page = 1,
      start = 0,
      max_characters: max = DEFAULT_CHARACTERS,
    } = args as unknown as Arguments;
    const settings = { signal: call.signal };
    const crawl = await call.client.crawls.get(id, settings);
    const query = { outcome: 'ok', limit: MAX_PAGES, ...cursorBefore(first_page) } as const;
    const { items, next_cursor: cursor } = await call.client.crawls.pagesPage(id, query, settings);
    const read = await readPages(items, { first_page, start, max }, call);
    const last = items.at(-1);
    const place = read.next ?? (cursor !== null && last && { first_page: last.number + 1, start: 0 });
    return resultOf(read, [aboutOf(crawl), place ? readOn(id, place) : endOf(crawl)]);
  },
};

function aboutOf({ id, url, status }: CrawlRecord): string {
  return `The crawl ${id} of ${cut(url, MAX_URL)} is ${status}.`;
}

function readOn(id: string, place: Place): string {
  return `Read on with read_crawl ${JSON.stringify({ id, ...place })}`;
}

function endOf({ finished_at: finishedAt }: CrawlRecord): string {
  const end = 'This is the end of the pages that are captured.';
  return finishedAt === null ? `${end} The crawl goes on: read again when it has ended.` : end;
}

interface ReadPages {
  readonly parts: readonly { readonly about: string; readonly text: string }[];
  /** The numbers of pages without a text. */
  readonly without: readonly number[];
  /** Where the next part begins, if it is one of these pages. */
  readonly next?: Place;
}

async function readPages(
  pages: readonly CrawlPage[],
  { first_page: first, start, max }: Place & { readonly max: number },
  call: ToolCall,
): Promise<ReadPages> {
  const parts: ReadPages['parts'][number][] = [];
  const without: number[] = [];
  let left = max;
  for (const { number, url, title, capture_id: captureId } of pages) {
    const text = captureId === null ? undefined : await textOf(captureId, call);
    if (text === undefined) {
      without.push(number);
      continue;
    }
    const from = number === first ? Math.min(start, text.length) : 0;
    if (left < MIN_PART) return { parts, without, next: { first_page: number, start: from } };
    const end = endOfPart(text, from, left);
    const name = JSON.stringify(cut(title ?? '', MAX_TITLE));
    const about = `Page ${number}, ${name}, ${cut(url, MAX_URL)}: characters ${from} to ${end} of ${text.length}.`;
    parts.push({ about, text: text.slice(from, end) });
    if (end < text.length) return { parts, without, next: { first_page: number, start: end } };
    left -= end - from;
  }
  return { parts, without };
}

/** The text of a capture; undefined if it has none, or none that is still there or short enough. */
async function textOf(captureId: string, { client, signal }: ToolCall): Promise<string | undefined> {
  try {
    const file = textFileOf(await client.captures.get(captureId, { signal }));
    if (!file || file.bytes > MAX_RESOURCE_BYTES) return undefined;
    const { bytes } = await client.captures.file(captureId, file.name, { signal });
    return new TextDecoder().decode(bytes);
  } catch (error) {
    if (error instanceof CaptureError && ['result_expired', 'not_found'].includes(error.code))
      return undefined;
    throw error;
  }
}

function resultOf({ parts, without }: ReadPages, lines: readonly string[]): CallToolResult {
  const summary = [
    ...lines,
    ...(without.length > 0 ? [`Pages without a text: ${without.join(', ')}.`] : []),
    UNTRUSTED,
  ].join('\n');
  const texts = parts.flatMap(({ about, text }) => [about, enclosed(text)]);
  return { content: [summary, ...texts].map((text) => ({ type: 'text' as const, text })) };
}
