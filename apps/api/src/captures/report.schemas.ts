import { BLOCK_REASONS, CONSENT_ACTIONS, FORMAT_NAMES, VERDICTS } from '@app/capture';
import { boolean, every, integer, string } from '../openapi/schemas.js';

/** The schemas of what a capture reports about its files and its page. */

export const BLOCKED_REQUESTS = {
  ...every(Object.fromEntries(BLOCK_REASONS.map((reason) => [reason, integer]))),
  description:
    'Number of requests that were blocked: by the filter lists of each kind, by `block_urls` and `block_resource_types` (`rules`), and by the egress guard (`forbidden`). Null for captures of earlier versions.',
};

export const CONSENT_REPORT = {
  ...every({
    manager: {
      type: ['string', 'null'],
      description: 'Consent manager that was recognised.',
      example: 'klaro',
    },
    action: { type: 'string', enum: CONSENT_ACTIONS },
    gone: { ...boolean, description: 'Whether the page shows no consent dialog.' },
  }),
  description: 'What `block_cookie_banners` did; null when it is off.',
};

export const READINESS_REPORT = {
  ...every({
    by: {
      type: 'string',
      enum: ['quiet', 'timeout'],
      description: 'Whether the page was ready, or the time of `ready_timeout_ms` or `timeout_ms` was over.',
    },
    waited_ms: { ...integer, description: 'Wait beyond the load in ms, with that after `js` and clicks.' },
    pending: {
      type: 'array',
      items: every({ host: string, type: string }),
      description:
        'Requests that were still pending, at most 20. A page can be ready with some: polls, and requests that hang.',
    },
    fonts: { type: 'string', enum: ['loaded', 'pending'] },
    images: {
      ...every({ total: integer, pending: integer, broken: integer }),
      description: 'Images of the window.',
    },
  }),
  description:
    'Why the page was captured at its moment; null unless `wait_until` is `auto` and the page has loaded.',
};

export const VERDICT = {
  ...every({
    kind: { type: 'string', enum: VERDICTS },
    evidence: { type: 'array', items: { ...string, example: 'title: Just a moment...' } },
  }),
  description:
    'What the file most likely shows, and at most 10 signs of it: the page itself, nothing that is drawn, a challenge of a bot manager or a CAPTCHA, a log-in instead of the page, or an error page. Null when the capture failed before, or when the page did not respond.',
};

export const STABLE_REPORT = {
  ...every({
    agreed: { ...boolean, description: 'Whether the last two pictures are identical.' },
    frames: { ...integer, description: 'Number of pictures that were taken.' },
    unstable_boxes: {
      type: 'array',
      items: every({ x: integer, y: integer, width: integer, height: integer }),
      description: 'Parts in which the last two pictures differ, in px of the picture.',
    },
  }),
  description: 'Whether the page could be frozen; null when `stable` is off.',
};

const maybe = (type: string, description?: string) => ({
  type: [type, 'null'],
  ...(description !== undefined && { description }),
});

export const FILE_RECORD = every({
  name: {
    ...string,
    description: '`result`, or the name of the output; `diff` is the picture of what changed.',
  },
  format: { type: 'string', enum: FORMAT_NAMES },
  bytes: integer,
  sha256: { ...string, description: 'SHA-256 in hex.' },
  width: maybe('integer', 'Width of a picture in px; null in other formats.'),
  height: maybe('integer'),
  pages: maybe('integer', 'Number of pages of a PDF; null in other formats.'),
  page_height: maybe('integer', 'Full height of the page in CSS px when the file was made.'),
  truncated: { ...boolean, description: 'Whether the page was larger than what was captured.' },
  content: {
    type: ['string', 'null'],
    enum: ['main', 'full', null],
    description: 'What a text is made of; null in other formats, and for the text of `selector`.',
  },
  url: maybe('string', 'Path of the file; null once it has expired.'),
});

const list = (items: object) => ({ type: 'array', items });
const texts = { type: 'object', additionalProperties: string };

export const PAGE_METADATA = {
  ...every({
    title: maybe('string'),
    description: maybe('string'),
    lang: maybe('string'),
    canonical: maybe('string'),
    robots: maybe('string'),
    author: maybe('string'),
    published: maybe('string'),
    open_graph: texts,
    twitter: texts,
    icons: list(every({ url: string, rel: string, sizes: maybe('string'), type: maybe('string') })),
    feeds: list(every({ url: string, title: maybe('string'), type: string })),
    json_ld: list({}),
    headings: list(every({ level: integer, text: string })),
    links: list(every({ url: string, text: string, rel: string, internal: boolean })),
    images: list(every({ url: string, alt: maybe('string'), width: integer, height: integer })),
    fonts: list(string),
    words: integer,
    truncated: { ...list(string), description: 'Names of the fields that were cut.' },
  }),
  description: 'What the page says about itself; null when `metadata` is off.',
};

export const CHANGE_REPORT = {
  ...every({
    compared_with: { ...string, format: 'uuid', description: 'Id of the earlier capture.' },
    changed: boolean,
    ratio: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'The part that changed: of the pixels of a picture, or of the words of a text.',
    },
    boxes: {
      ...list(every({ x: integer, y: integer, width: integer, height: integer })),
      description: 'The parts of the picture that changed, in its px, at most 100.',
    },
    size_changed: boolean,
    text_changed: maybe('boolean', 'Null when the text of the earlier capture is not known.'),
  }),
  description: 'What changed since the capture of `compare_with`; null when nothing was compared.',
};
