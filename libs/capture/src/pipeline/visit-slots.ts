import type { HTTPRequest, HTTPResponse } from 'puppeteer';
import type { FilterKind } from '@app/filters';
import type { AnimationControl } from './animation-control.js';
import type { OpenRequests } from './open-requests.js';
import type { PageActivity } from './page-activity.js';
import type { Look, Motion } from './page-look.js';

/** What families leave for each other before the navigation, in `prepare`. */
export interface PrepareSlots {
  /** Tracks the requests that the capture causes in the page. Set by a family that will act on the page. */
  activity?: PageActivity;
  /** The requests under way. Set for `wait_until: auto`, and for animations that do not take their time. */
  openRequests?: OpenRequests;
  /** What removes things that come over the page, in the order of work. Families add theirs until they settle. */
  readonly cleaners: Cleaner[];
  /** What moves in the page. Set unless animations take their time. */
  animations?: AnimationControl;
  /** The kinds of lists whose styles `hideFiltered` applies. Families add theirs until they settle. */
  readonly hiddenKinds: FilterKind[];
  /** Adds the styles of the capture to the document that an action has opened. Set when an option adds some. */
  restyle?(): Promise<void>;
  /** Hides what the filter lists name, as far as the page shows it. Never rejects. */
  hideFiltered?(): Promise<void>;
}

/** What becomes known while the page navigates and loads. Nothing of it is known in `prepare`. */
export interface NavigateSlots {
  /** The response of the main document once it has arrived; null for an `html` target. */
  response: HTTPResponse | null;
  /** The response of a main document whose body was cut off, and the net error, such as `net::ERR_CONTENT_LENGTH_MISMATCH`. */
  broken?: { readonly response: HTTPResponse; readonly reason: string };
  /** URL of the latest document that the page was navigated to, after the redirects so far. */
  requested?: string;
  /** The request for that document, as far as Puppeteer has reported it. */
  documentRequest?: HTTPRequest;
  /** The first host to which the page was led although `allowed_hosts` does not name it: the capture fails. */
  refusedHost?: string;
  /** The look at the page when it arrived, for the wait for readiness; null when it has no probe. */
  arrival?: Promise<Look | null> | undefined;
  /** What moved at the first look at the page; undefined once a script of the capture has run in it since. */
  motion?: { readonly seen: Motion; readonly at: number } | undefined;
}

/** What is known once the page has settled, about the page as it is then. Formats read it. */
export interface SettleSlots {
  /** Replaces, in the texts of a value, the secrets that were typed into the page. Set once one was. */
  redact?<Value>(this: void, value: Value): Value;
  /** Draws dots instead of those secrets, wherever the page shows them. Rejects when it may still show one. */
  maskSecrets?(this: void): Promise<void>;
  /** Whether the window shows a canvas or an SVG that may be a chart. */
  hasDrawings?: boolean;
  /** Something moves for longer than animations take, or is held, so that it is captured as it is. */
  isAsItIs?: boolean;
  /** The window has been made as high as the page. */
  isGrown?: boolean;
  /** The full page looks different wherever it is scrolled to, so that its picture is joined of pictures of the window. */
  needsStitching?: boolean;
}

/** What changes from output to output while they are rendered. */
export interface RenderSlots {
  /** The name of the output that is being made, for errors. */
  readonly making: { output?: string };
}

/** Removes one kind of things that come over a page. */
export interface Cleaner {
  /** Removes those that the page shows now. Returns whether the page has changed, and may need time to settle. */
  clean(): Promise<boolean>;
  /** Whether the page shows some that came after `clean`. A look, which takes a few milliseconds. */
  hasMore(): Promise<boolean>;
}
