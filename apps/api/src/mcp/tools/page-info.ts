import type { JsonSchemaType } from '@modelcontextprotocol/server';
import type { CaptureRecord, PageMetadata } from '@capture-service/client';
import { captureSchema, optionsOf } from '../capture-arguments.js';
import { UNTRUSTED } from '../capture-result.js';
import { runCapture } from '../run-capture.js';
import { failedCaptureResult } from '../tool-errors.js';
import type { Tool } from '../tool.js';
import { dataResult } from './data-result.js';
import { URL_ARGUMENT } from './url-argument.js';

/** Lists are cut to what a model can use; a page may have a thousand links. */
const MAX_ITEMS = 40;
const MAX_TEXT = 300;
/** Structured data of shops and news is often longer than the page. */
const MAX_JSON_LD = 4_000;

const OUTPUT: JsonSchemaType = {
  type: 'object',
  properties: {
    capture_id: { type: 'string' },
    final_url: { type: ['string', 'null'] },
    http_status: { type: ['integer', 'null'] },
    verdict: { type: ['object', 'null'], description: 'What the page most likely is, and why.' },
    readiness: { type: ['object', 'null'], description: 'Whether it had loaded.' },
    page: { type: ['object', 'null'], description: 'What it says about itself.' },
    counts: { type: 'object', description: 'Entries of the page, where lists are cut.' },
  },
  required: ['capture_id', 'page'],
};

export const PAGE_INFO: Tool = {
  name: 'page_info',
  title: 'Inspect a web page',
  description:
    'Opens a web page in a real browser and reports its HTTP status, final URL, title, description, language, headings, links, feeds, social and structured data, ' +
    'whether it is an error page, a log-in or a bot check, and whether it had loaded.',
  isOpenWorld: true,
  inputSchema: (mayUseUnsafe) => captureSchema({ url: URL_ARGUMENT }, { required: ['url'] }, mayUseUnsafe),
  outputSchema: OUTPUT,
  run: async (args, call) => {
    const { id, status } = await runCapture(optionsOf(args, { format: 'text', metadata: true }), call);
    // The record of an event has no lists.
    const record = await call.client.captures.get(id, { signal: call.signal });
    return status === 'succeeded' ? dataResult(infoOf(record)) : failedCaptureResult(record);
  },
};

function infoOf(record: CaptureRecord) {
  const { page } = record;
  return {
    note: UNTRUSTED,
    capture_id: record.id,
    url: record.url,
    final_url: record.final_url,
    http_status: record.http_status,
    verdict: record.verdict,
    readiness: record.readiness,
    blocked_requests: record.blocked_requests,
    failed_requests: record.failed_requests,
    page: page && shortened(page),
    ...(page && {
      counts: {
        headings: page.headings.length,
        links: page.links.length,
        images: page.images.length,
        feeds: page.feeds.length,
        json_ld: page.json_ld.length,
      },
    }),
  };
}

function shortened({ json_ld: jsonLd, ...page }: PageMetadata) {
  const { title, description, lang, canonical, robots, author, published, open_graph, twitter, words } = page;
  const { feeds, headings } = page;
  const links = page.links.map(({ url, text, internal }) => ({ url, text, internal }));
  const facts = {
    title,
    description,
    lang,
    canonical,
    robots,
    author,
    published,
    words,
    open_graph,
    twitter,
  };
  return {
    ...(limited({ ...facts, feeds, headings, links }) as Record<string, unknown>),
    ...(JSON.stringify(jsonLd).length <= MAX_JSON_LD
      ? { json_ld: jsonLd }
      : { json_ld_types: jsonLd.slice(0, MAX_ITEMS).map((each) => limited(each['@type'] ?? null)) }),
  };
}

/** The same value with short lists and texts. */
function limited(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(limited);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([name, each]) => [name, limited(each)]),
  );
}
