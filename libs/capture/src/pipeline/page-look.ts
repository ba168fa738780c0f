/** What a look depends on. */
export interface LookAt {
  /** The page has a stream open from which nothing has come so far. */
  readonly isStreaming: boolean;
  /** The name of the events with orders to the time of the page, where it has one. */
  readonly timeType: string | null;
}

/** What moves in a document. */
export interface Motion {
  /** A script is drawing. Only known where the time of the page can pass faster. */
  readonly isMoving: boolean;
  /** Time until the last short animation or transition ends; 0 when there is none. */
  readonly leftMs: number;
  /** The window shows a canvas or an SVG that may be a chart. */
  readonly hasDrawings: boolean;
  /** The window shows a frame as large as such a chart. */
  readonly hasFrames: boolean;
}

/** What a page looks like at one moment. */
export interface Look extends Pick<LookAt, 'isStreaming'> {
  /** Its parser, scripts, style sheets and eager images have loaded. */
  readonly isLoaded: boolean;
  readonly fonts: 'loaded' | 'pending';
  /** Images of the window. */
  readonly images: { readonly total: number; readonly pending: number; readonly broken: number };
  /** Fonts are under way and do not hang. */
  readonly areFontsAwaited: boolean;
  /** Images of the window are under way and do not hang. */
  readonly areImagesAwaited: boolean;
  /**
   * `drawn`: it shows something. `partial`: parts of it are placeholders. `empty`: it shows nothing, or only that it is
   * loading, and a script may still draw it.
   */
  readonly content: 'drawn' | 'partial' | 'empty';
  /** The window has an empty place that a script may be about to fill. */
  readonly hasGap: boolean;
  /** A text of the window grows a few letters at a time. */
  readonly isTyping: boolean;
  /**
   * When parts were added to a window that is still bare, each behind the ones before, in ms before now; the latest comes
   * last.
   */
  readonly arrivals: readonly number[];
  /** Time in ms since the content changed; null when no change has been seen. */
  readonly quietMs: number | null;
  /** The content has changed since the load. */
  readonly hasChangedSinceLoad: boolean;
  /** Something moves endlessly, so that the browser computes the layout again and again. */
  readonly isAnimated: boolean;
  readonly motion: Motion;
  /** Height of the document in CSS px. */
  readonly height: number;
}
