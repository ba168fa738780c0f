/** What a filter list is for. `cookies`: lists that hide consent dialogs. */
export const FILTER_KINDS = ['ads', 'trackers', 'chats', 'annoyances', 'cookies'] as const;
export type FilterKind = (typeof FILTER_KINDS)[number];

/** Resource types as Chromium names them (CDP `Network.ResourceType`, in lower case). */
export type RequestType =
  | 'document'
  | 'stylesheet'
  | 'image'
  | 'media'
  | 'font'
  | 'script'
  | 'xhr'
  | 'fetch'
  | 'eventsource'
  | 'websocket'
  | 'ping'
  | 'other';

export interface FilteredRequest {
  readonly url: string;
  readonly type: RequestType;
  /** URL of the document that makes the request; of the page itself for the document of a frame. */
  readonly documentUrl: string;
}

/** What a list says about a request: the kind that blocks it, `allowed` by an exception, or nothing. */
export type FilterVerdict = FilterKind | 'allowed' | undefined;

/** The parts of a document that generic rules are looked up by. */
export interface PageFeatures {
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  readonly hrefs: readonly string[];
}

/** One version of the compiled lists. It does not change: an update replaces it by another. */
export interface FilterSet {
  /**
   * Exceptions of the lists of all kinds hold for the rules of each. The order of `kinds` is that of precedence.
   * A set does not know which page is captured: that the target's own site (`siteOf`) is never blocked is the caller's part.
   */
  judge(request: FilteredRequest, kinds: readonly FilterKind[]): FilterVerdict;

  /** As `judge`, where only the host is known: rules that depend on the path or the type do not count. */
  judgeHost(host: string, documentUrl: string, kinds: readonly FilterKind[]): FilterVerdict;

  /**
   * The style sheet that hides what the lists hide in a document; '' when there is nothing.
   *
   * @param features those that the document has; without them, only the rules of its host are looked up
   */
  stylesFor(url: string, kinds: readonly FilterKind[], features?: PageFeatures): string;
}
