import {
  COMPARISON_FAILURES,
  AWAITED,
  BLOCK_REASONS,
  CONSENT_ACTIONS,
  FORMAT_NAMES,
  INCOMPLETE_REASONS,
  OVERLAY_ACTIONS,
  OVERLAY_KINDS,
  VERDICTS,
} from '@app/capture';
import { CACHE_OUTCOMES } from '@app/jobs';
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
    gone: {
      ...boolean,
      description: 'Whether no consent dialog was seen on the page when the file was finished.',
    },
  }),
  description: 'What `block_cookie_banners` did; null when it is off.',
};

const awaitedKinds = Object.entries(AWAITED)
  .map(([kind, meaning]) => `\`${kind}\`: ${meaning}.`)
  .join(' ');

export const OVERLAY_REPORT = {
  ...every({
    action: {
      type: 'string',
      enum: OVERLAY_ACTIONS,
      description: '`closed` as a visitor would, or `hidden` because its control did not work.',
    },
    kind: {
      type: 'string',
      enum: OVERLAY_KINDS,
      description: 'A modal dialog, a popover, or an element that is fixed to the window.',
    },
    label: { ...string, description: 'Its name, heading or first words.', example: 'Join our newsletter' },
    box: {
      ...every({ x: integer, y: integer, width: integer, height: integer }),
      description: 'Where it was in the window, in CSS px.',
    },
  }),
  description: 'Something that had come over the page by itself.',
};

export const READINESS_REPORT = {
  ...every({
    by: {
      type: 'string',
      enum: ['quiet', 'timeout'],
      description: 'Whether the page was ready, or the time of `ready_timeout_ms` or `timeout_ms` was over.',
    },
    waited_ms: { ...integer, description: 'Wait beyond the load in ms, with that after `js` and clicks.' },
    waited_for: {
      type: 'array',
      items: { type: 'string', enum: Object.keys(AWAITED) },
      description: `What kept the page waiting, each once, in the order in which it was first seen; empty for a page that was ready at its load. ${awaitedKinds}`,
    },
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

export const MISSING_REPORT = {
  ...every({
    reasons: {
      type: 'array',
      items: { type: 'string', enum: INCOMPLETE_REASONS },
      description:
        'Why `complete` is false; empty when it is true. `wait_timed_out` and `document_cut_off` under `on_timeout: "capture"`; `still_loading`: requests of a click, `js` or scrolling; `end_not_reached`: the page was not scrolled through to its end; `sections_not_revealed`: see `sections`.',
    },
    glyphs: {
      type: 'array',
      items: every({ script: { ...string, example: 'Tibetan' }, count: integer }),
      description:
        'Scripts with letters that no font has, neither of the page nor of the service, and how many such letters the text has: they are boxes. `Emoji`, `Private use` (icons of a font that did not load) and `Symbols` stand for what has no script.',
    },
    frames: {
      type: 'array',
      items: every({ url: string }),
      description:
        'Embedded pages that did not load: no connection, a refusal, a status from 400 on, or no response in time.',
    },
    images: {
      type: 'array',
      items: every({ url: string }),
      description: 'Images that are broken or had not loaded. A `data:` URL is cut after its media type.',
    },
    sections: { ...integer, description: 'Number of sections of a full page that were never revealed.' },
  }),
  description:
    'What the file does not show although the page has it, within the part that the file shows; each list has at most 20 items, and URLs are cut after 500 characters. What is hidden, what has at most 2 px, and what an option blocked is not missing. Null when nothing is known to be missing, and for captures that failed. Files that are no picture and no PDF have `reasons` alone.',
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

const list = (items: object, description?: string) => ({
  type: 'array',
  items,
  ...(description !== undefined && { description }),
});
const properties = (description: string) => ({
  type: 'object',
  additionalProperties: string,
  description,
});

export const PAGE_METADATA = {
  ...every({
    title: maybe('string', 'Title of the document.'),
    description: maybe('string', 'The meta element `description`.'),
    lang: maybe('string', 'Language of the root element, as the page writes it.'),
    canonical: maybe('string', 'URL of the first link element `canonical`.'),
    robots: maybe('string', 'The meta elements `robots`, joined by commas. HTTP headers are not part of it.'),
    author: maybe(
      'string',
      'The first that the page has: the meta element `author`, `author` of its JSON-LD (several are joined by commas), `article:author` if it is no URL, microdata, the text of a link with `rel=author`.',
    ),
    published: {
      ...maybe(
        'string',
        'Date of publication, the first that the page states in the form of ISO 8601 or RFC 5322: `article:published_time`, `datePublished` of its JSON-LD, other meta elements, microdata, a time element in the main content. A moment in UTC; a day when the page names no time or no zone.',
      ),
      example: '2024-05-01T10:30:00.000Z',
    },
    open_graph: {
      ...properties(
        'Open Graph properties without the prefix `og:`; those of other prefixes, such as `article:tag`, keep it. The first of several with the same name; URLs are absolute.',
      ),
      example: { title: 'Example Domain', image: 'https://example.com/image.png' },
    },
    twitter: properties('Properties of Twitter cards without the prefix `twitter:`, in the same way.'),
    icons: list(
      every({ url: string, rel: string, sizes: maybe('string'), type: maybe('string') }),
      'Icons that link elements name.',
    ),
    feeds: list(
      every({ url: string, title: maybe('string'), type: string }),
      'RSS, Atom, RDF and JSON feeds.',
    ),
    json_ld: list(
      { type: 'object' },
      'The objects of JSON-LD scripts. `truncated` has `json_ld` as well when some script is not JSON.',
    ),
    headings: list(
      every({ level: integer, text: string }),
      'Headings that are displayed, in the order of the page.',
    ),
    links: list(
      every({
        url: string,
        text: { ...string, description: 'Text of the link, else its label or title.' },
        rel: string,
        internal: { ...boolean, description: 'Whether it leads to the site of the page.' },
      }),
      'Links in the order of the page, each URL once, also links that are hidden. Those that run a script are left out.',
    ),
    images: list(
      every({
        url: string,
        alt: maybe('string', 'Null when the page gives none.'),
        width: maybe('integer', 'Size of the image itself in CSS px; null when it has not loaded.'),
        height: maybe('integer'),
      }),
      'Image elements in the order of the page, each URL once.',
    ),
    fonts: list(
      string,
      'Font families of the visible text, the most frequent first: those of the style sheets that were available.',
    ),
    words: {
      ...integer,
      description: 'Number of words of the visible text; by a dictionary in languages that write no spaces.',
    },
    truncated: list(string, 'Names of the fields that are incomplete.'),
  }),
  description:
    'What the page says about itself, with open shadow roots and without frames; null when `metadata` is off or the capture failed. Lists have at most 1,000 items, texts 2,000 characters; longer URLs are left out, and of `data:` URLs only the media type is kept. Lists of captures, events and webhooks have no lists of this object: `truncated` names them.',
};

export const CHANGE_REPORT = {
  ...every({
    compared_with: { ...string, format: 'uuid', description: 'Id of the earlier capture.' },
    failure: {
      ...maybe(
        'string',
        'Why the files could not be compared; the fields below that it leaves open are null then. `timed_out`: not within 45 s or the rest of `timeout_ms`. `file_missing`: the earlier file has expired or was deleted. `not_comparable`: a file cannot be read, or takes too much memory.',
      ),
      enum: [...COMPARISON_FAILURES, null],
    },
    changed: maybe('boolean'),
    ratio: {
      type: ['number', 'null'],
      minimum: 0,
      maximum: 1,
      description:
        'The part that changed: of the pixels of a picture that are not ignored, or of the words of both texts.',
    },
    boxes: {
      ...list(every({ x: integer, y: integer, width: integer, height: integer })),
      description:
        'The parts of the picture that changed, at most 100, in px of the larger of both pictures. None for a text.',
    },
    size_changed: maybe('boolean'),
    text_changed: maybe('boolean', 'Null when the text of the earlier capture is not known.'),
  }),
  description: 'What changed since the capture of `compare_with`; null when nothing was compared.',
};

export const CACHE_REPORT = {
  ...every({
    status: {
      ...maybe('string', 'How the cache answered; null while the capture is queued.'),
      enum: [...CACHE_OUTCOMES, null],
    },
    key: { ...string, description: 'Captures with the same key answer for each other.' },
    age_s: maybe(
      'integer',
      'How old the files were when they answered, in seconds; null unless it succeeded.',
    ),
  }),
  description:
    'The part of the cache; null unless the capture asked for it. `miss` and `bypass` made their own visit, the others show the files of another capture.',
};
