import { boolean, every, integer, list, orNull, refOrNull, string } from '@app/kernel';
import { defineFact, deriveColumn } from './fact.js';

/**
 * What the page says about itself (`metadata`). A list has at most 1,000 items, a text or URL 2,000 characters. A URL that is
 * longer is left out; of a `data:` URL only the media type is kept. Texts have their white space collapsed.
 */
export interface PageMetadata {
  readonly title: string | null;
  readonly description: string | null;
  readonly lang: string | null;
  readonly canonical: string | null;
  readonly robots: string | null;
  readonly author: string | null;
  /** A moment in UTC, or a day when the page names no time or no zone. */
  readonly published: string | null;
  /** Without the prefix `og:`; the first of several properties with the same name. */
  readonly open_graph: Readonly<Record<string, string>>;
  readonly twitter: Readonly<Record<string, string>>;
  readonly icons: readonly {
    readonly url: string;
    readonly rel: string;
    readonly sizes: string | null;
    readonly type: string | null;
  }[];
  readonly feeds: readonly { readonly url: string; readonly title: string | null; readonly type: string }[];
  readonly json_ld: readonly Readonly<Record<string, unknown>>[];
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly links: readonly {
    readonly url: string;
    readonly text: string;
    readonly rel: string;
    /** It leads to the site of the page. */
    readonly internal: boolean;
  }[];
  readonly images: readonly {
    readonly url: string;
    readonly alt: string | null;
    /** Its own size in CSS px; null when it has not loaded. */
    readonly width: number | null;
    readonly height: number | null;
  }[];
  readonly fonts: readonly string[];
  readonly words: number;
  /** Links that `links` has no room for. */
  readonly more_links: number;
  /** The names of the fields that are incomplete. */
  readonly truncated: readonly string[];
}

export const PAGE_LISTS = [
  'icons',
  'feeds',
  'json_ld',
  'headings',
  'links',
  'images',
  'fonts',
] as const satisfies readonly (keyof PageMetadata)[];

/** The lists of the metadata, which can have 500 kB, and the rest. */
export type PageLists = Pick<PageMetadata, (typeof PAGE_LISTS)[number]>;
export type PageSummary = Omit<PageMetadata, keyof PageLists>;

const LIST_NAMES: ReadonlySet<string> = new Set(PAGE_LISTS);
const NO_LISTS = Object.fromEntries(PAGE_LISTS.map((name) => [name, []])) as unknown as PageLists;

const properties = (description: string) => ({
  type: 'object',
  additionalProperties: string,
  description,
});

const PAGE_METADATA = {
  ...every({
    title: orNull('string', 'Title of the document.'),
    description: orNull('string', 'The meta element `description`.'),
    lang: orNull('string', 'Language of the root element, as the page writes it.'),
    canonical: orNull('string', 'URL of the first link element `canonical`.'),
    robots: orNull(
      'string',
      'The meta elements `robots`, joined by commas. HTTP headers are not part of it.',
    ),
    author: orNull(
      'string',
      'The first that the page has: the meta element `author`, `author` of its JSON-LD (several are joined by commas), `article:author` if it is no URL, microdata, the text of a link with `rel=author`.',
    ),
    published: {
      ...orNull(
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
      every({ url: string, rel: string, sizes: orNull('string'), type: orNull('string') }),
      'Icons that link elements name.',
    ),
    feeds: list(
      every({ url: string, title: orNull('string'), type: string }),
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
        alt: orNull('string', 'Null when the page gives none.'),
        width: orNull('integer', 'Size of the image itself in CSS px; null when it has not loaded.'),
        height: orNull('integer'),
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
    more_links: {
      ...integer,
      description: 'Number of the links of the page for which `links` has no room.',
    },
    truncated: list(string, 'Names of the fields that are incomplete.'),
  }),
  description:
    'What the page says about itself, with open shadow roots and without frames; null when `metadata` is off or the capture failed. Lists have at most 1,000 items, texts 2,000 characters; longer URLs are left out, and of `data:` URLs only the media type is kept. Lists of captures, events and webhooks have no lists of this object: `truncated` names them.',
};

export const PAGE_FACTS = {
  /** What the page says about itself, without its lists; null when `metadata` is off. */
  page: defineFact({
    empty: (): PageMetadata | null => null,
    store: summaryOf,
    show: withLists,
    column: 'json',
    isErased: true,
    whenFailed: false,
    schema: refOrNull('PageMetadata'),
    components: { PageMetadata: PAGE_METADATA },
  }),
  /** The lists of `page`. They are read only where they are shown, because they may have 500 kB. */
  pageLists: deriveColumn({
    from: 'page',
    store: listsOf,
    column: 'json',
    readApart: true,
    isErased: true,
    schema: null,
  }),
};

function summaryOf(page: PageMetadata | null): PageSummary | null {
  return (
    page &&
    (Object.fromEntries(Object.entries(page).filter(([name]) => !LIST_NAMES.has(name))) as PageSummary)
  );
}

function listsOf(page: PageMetadata | null): PageLists | null {
  return page && (Object.fromEntries(PAGE_LISTS.map((name) => [name, page[name]])) as unknown as PageLists);
}

/**
 * What the page says about itself, with its fields in the order of the documentation. Where the lists have not been read they are
 * empty, and `truncated` names all of them.
 */
function withLists(
  page: PageSummary | null,
  { pageLists }: { readonly pageLists?: PageLists | null },
): PageMetadata | null {
  if (!page) return null;
  const { words, more_links = 0, truncated, ...texts } = page;
  return {
    ...texts,
    ...(pageLists ?? NO_LISTS),
    words,
    more_links,
    truncated: pageLists ? truncated : [...new Set([...truncated, ...PAGE_LISTS])],
  };
}
