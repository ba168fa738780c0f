/** Number of requests that were blocked, by reason. */
export interface BlockedRequests {
  /** By the filter lists of `block_ads`, `block_trackers`, `block_chats` and `block_annoyances`. */
  ads: number;
  trackers: number;
  chats: number;
  annoyances: number;
  /** By `block_urls` and `block_resource_types`. */
  rules: number;
  /** By the egress guard. */
  forbidden: number;
}

export const BLOCK_REASONS = [
  'ads',
  'trackers',
  'chats',
  'annoyances',
  'rules',
  'forbidden',
] as const satisfies readonly (keyof BlockedRequests)[];

export function nothingBlocked(): BlockedRequests {
  return { ads: 0, trackers: 0, chats: 0, annoyances: 0, rules: 0, forbidden: 0 };
}

export function sumOfBlocked(blocked: BlockedRequests): number {
  return BLOCK_REASONS.reduce((sum, reason) => sum + blocked[reason], 0);
}

export const CONSENT_ACTIONS = ['rejected', 'accepted', 'hidden', 'none'] as const;

/** What `block_cookie_banners` did on the page. */
export interface ConsentReport {
  /** Name of the consent manager that was recognised; null when there was none. */
  readonly manager: string | null;
  readonly action: (typeof CONSENT_ACTIONS)[number];
  /** Whether the page shows no consent dialog. */
  readonly gone: boolean;
}

/** What `wait_until: auto` may wait for, with its meaning. */
export const AWAITED = {
  load: 'the load, which hangs',
  action: 'a reaction to `js`, a click or another window',
  requests: 'requests of the page',
  fonts: 'fonts',
  images: 'images of the window',
  content: 'the window shows nothing, or only that it is loading',
  placeholders: 'skeletons, spinners and texts such as `Loading…` beside the content',
  socket: 'the first message of a WebSocket or an EventSource, while the window has an empty place for it',
  gap: 'an empty place in a window that shows little, while scripts have timers',
  text: 'a text that grows a few letters at a time',
  arrivals: 'the next of several parts that a script adds one after the other',
  changes: 'changes of the content',
  layout: 'changes of the layout',
} as const;

export type AwaitedKind = keyof typeof AWAITED;

export const OVERLAY_ACTIONS = ['closed', 'hidden'] as const;
export const OVERLAY_KINDS = ['dialog', 'popover', 'fixed'] as const;

/** Something that had come over the page and that `block_annoyances` removed. */
export interface OverlayReport {
  /** `closed` by its own control or the Escape key, or `hidden` because its control did not work. */
  readonly action: (typeof OVERLAY_ACTIONS)[number];
  /** A modal dialog, a popover or an element that is fixed to the window. */
  readonly kind: (typeof OVERLAY_KINDS)[number];
  /** Its name for screen readers, its heading or its first words, at most 80 characters. */
  readonly label: string;
  /** Where it was in the window, in CSS px. */
  readonly box: PictureBox;
}

/** Why `wait_until: auto` considered the page ready. */
export interface ReadinessReport {
  readonly by: 'quiet' | 'timeout';
  /** Time in ms that was waited beyond the load, and after actions. */
  readonly waited_ms: number;
  /** What kept the page waiting, each once, in the order in which it was first seen; empty for a page that was ready at its load. */
  readonly waited_for: readonly AwaitedKind[];
  /** Requests that were still pending, at most 20. */
  readonly pending: readonly { readonly host: string; readonly type: string }[];
  readonly fonts: 'loaded' | 'pending';
  /** Images of the window. */
  readonly images: { readonly total: number; readonly pending: number; readonly broken: number };
}

/** What two waits for one page took together. */
export function sumOfWaits(
  earlier: ReadinessReport | null,
  later: ReadinessReport,
): Pick<ReadinessReport, 'waited_ms' | 'waited_for'> {
  const { waited_ms = 0, waited_for = [] } = earlier ?? {};
  return {
    waited_ms: waited_ms + later.waited_ms,
    waited_for: [...new Set([...waited_for, ...later.waited_for])],
  };
}

export const VERDICTS = ['page', 'blank', 'bot_wall', 'login_wall', 'error_page'] as const;

/** What the picture most likely shows. */
export interface Verdict {
  readonly kind: (typeof VERDICTS)[number];
  /** The signs that led to it, such as `title: Just a moment...`; at most 10. */
  readonly evidence: readonly string[];
}

/** Why a capture is not complete. */
export const INCOMPLETE_REASONS = [
  'wait_timed_out',
  'document_cut_off',
  'still_loading',
  'end_not_reached',
  'sections_not_revealed',
] as const;

export type IncompleteReason = (typeof INCOMPLETE_REASONS)[number];

/** What the file does not show although the page has it. Each list has at most 20 items. */
export interface MissingReport {
  /** Why `complete` is false, each reason once; empty when it is true. */
  reasons: readonly IncompleteReason[];
  /** Scripts with letters that no font has, which are boxes, and how many of those the text has. */
  glyphs: readonly { readonly script: string; readonly count: number }[];
  /** Embedded pages that did not load. */
  frames: readonly { readonly url: string }[];
  /** Images that are broken, or have not loaded. */
  images: readonly { readonly url: string }[];
  /** Number of sections of the page that were never revealed. */
  sections: number;
}

export function nothingMissing(): MissingReport {
  return { reasons: [], glyphs: [], frames: [], images: [], sections: 0 };
}

export function isAnythingMissing({ sections, ...lists }: MissingReport): boolean {
  return sections > 0 || Object.values(lists).some((list) => list.length > 0);
}

/** A part of a picture, in its px. */
export interface PictureBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Whether the pictures of `stable` agreed. */
export interface StableReport {
  readonly agreed: boolean;
  /** Number of pictures that were taken. */
  readonly frames: number;
  /** The parts in which the last two pictures differ; empty when they agree. */
  readonly unstable_boxes: readonly PictureBox[];
}

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

/** What changed since an earlier capture (`compare_with`). */
/** Why two files could not be compared. */
export const COMPARISON_FAILURES = ['timed_out', 'file_missing', 'not_comparable'] as const;
export type ComparisonFailure = (typeof COMPARISON_FAILURES)[number];

/** What changed since an earlier capture. Where `failure` is not null, what it could not find out is null. */
export interface ChangeReport {
  /** The id of the earlier capture. */
  readonly compared_with: string;
  readonly failure: ComparisonFailure | null;
  readonly changed: boolean | null;
  /** The part that changed, from 0 to 1: of the pixels of a picture, or of the words of a text. */
  readonly ratio: number | null;
  /** The parts of a picture that changed, at most 100; none for a text. */
  readonly boxes: readonly PictureBox[];
  /** Whether the pictures have different sizes. */
  readonly size_changed: boolean | null;
  /** Whether the visible text changed; null when it is not known of the earlier capture. */
  readonly text_changed: boolean | null;
}
