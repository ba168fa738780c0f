import type {
  BrowserContext,
  CDPSession,
  Frame,
  HTTPRequest,
  HTTPResponse,
  Page,
  Protocol,
  Viewport,
} from 'puppeteer';
import type { FilterKind, FilterSet } from '@app/filters';
import type { AnyClass, Fault } from '@app/kernel';
import type { CaptureFacts } from '../record/facts.js';
import type { FrameLoads } from './frame-loads.js';
import type { FrameSessions } from './frame-sessions.js';
import type { OpenRequests } from './open-requests.js';
import type { PageActivity } from './page-activity.js';
import type { AnimationControl } from './animation-control.js';
import type { Look, Motion } from './page-look.js';

/** One visit to a page, as the hooks of families and formats see it. */
export interface Visit {
  readonly page: Page;
  /** The topmost frame. `page.mainFrame()` is the same one, but throws once the page is gone. */
  readonly mainFrame: Frame;
  readonly context: BrowserContext;
  readonly cdp: CDPSession;
  /** Sessions with the page and with everything of it that runs in other processes. */
  readonly frameSessions: FrameSessions;
  /** Makes the browser report the execution contexts of the page on Puppeteer's sessions. Only in `prepare`. */
  reportContexts(): Promise<void>;
  /** What pauses requests of the page calls `authenticate` first; otherwise the navigation authenticates. */
  readonly proxyAuthentication: {
    authenticate(): Promise<void>;
    authenticateWithDocument(): Promise<void>;
  };
  /** Sets what the page, its frames and its workers report about their browser. Only in `prepare`. */
  setUserAgent(
    this: void,
    agent: { readonly userAgent?: string; readonly languages?: string },
  ): Promise<void>;
  /** What the window of the page is emulated as. It changes between the outputs of a capture. */
  viewport: Required<Viewport>;
  /** The same as the browser takes it, with the screen. */
  metrics: Protocol.Emulation.SetDeviceMetricsOverrideRequest;
  /** The window has been made as high as the page. */
  isGrown?: boolean;
  /** The full page looks different wherever it is scrolled to, so that its picture is joined of pictures of the window. */
  needsStitching?: boolean;
  /** The name of the output that is being made, for errors; undefined for a capture without `outputs`. */
  readonly making: { output?: string };
  /** The page to visit; null for an `html` target. */
  readonly target: URL | null;
  /** Aborted at the deadline and on cancellation, with the AppError as its reason. */
  readonly signal: AbortSignal;
  /** Time until the deadline in ms, at least 0. */
  remainingMs(): number;
  /** Filled in as the visit goes on. */
  readonly facts: CaptureFacts;
  /** The response of the main document once it has arrived; null for an `html` target. */
  response: HTTPResponse | null;
  /** The response of a main document whose body was cut off, and the net error, such as `net::ERR_CONTENT_LENGTH_MISMATCH`. */
  broken?: { readonly response: HTTPResponse; readonly reason: string };
  /** URL of the latest document that the page was navigated to, after the redirects so far. */
  requested?: string;
  /** The request for that document, as far as Puppeteer has reported it. */
  documentRequest?: HTTPRequest;
  /** Tracks the requests that the capture causes in the page. Set in `prepare` by a family that will act on the page. */
  activity?: PageActivity;
  /** What the network says about the frames of the page. */
  readonly frameLoads: FrameLoads;
  /** The requests under way. Set in `prepare` for `wait_until: auto`, and for animations that do not take their time. */
  openRequests?: OpenRequests;
  /** The look at the page when it arrived, for the wait for readiness; null when it has no probe. */
  arrival?: Promise<Look | null> | undefined;
  /** What moved at the first look at the page; undefined once a script of the capture has run in it since. */
  motion?: { readonly seen: Motion; readonly at: number } | undefined;
  /** What removes things that come over the page, in the order of work. Families add theirs until they settle. */
  readonly cleaners: Cleaner[];
  /** What moves in the page. Set in `prepare`, unless animations take their time. */
  animations?: AnimationControl;
  /** Whether the window shows a canvas or an SVG that may be a chart. Known once the page has settled. */
  hasDrawings?: boolean;
  /** Something moves for longer than animations take, or is held, so that it is captured as it is. */
  isAsItIs?: boolean;
  /** The filter lists as they were when the capture began. */
  readonly filters: FilterSet;
  /** The kinds of lists whose styles `hideFiltered` applies. Families add theirs until they settle. */
  readonly hiddenKinds: FilterKind[];
  /** Hides what the filter lists name, as far as the page shows it. Never rejects. Set in `prepare`. */
  hideFiltered?(): Promise<void>;
  /** Makes the egress proxy refuse the hosts for which `isScreened` returns true; it is called once for each request. */
  screenHosts(this: void, isScreened: (host: string) => boolean): void;
  /** Why the egress proxy did not reach a URL, as the name of a Chromium net error. */
  netErrorOf(this: void, url: string): string | undefined;
}

/** Removes one kind of things that come over a page. */
export interface Cleaner {
  /** Removes those that the page shows now. Returns whether the page has changed, and may need time to settle. */
  clean(): Promise<boolean>;
  /** Whether the page shows some that came after `clean`. A look, which takes a few milliseconds. */
  hasMore(): Promise<boolean>;
}

/** What a family decides about a request: headers to send with it, or nothing. */
export type RequestVerdict = 'pass' | { readonly headers: Readonly<Record<string, string>> };

/** Called for every request, in order. Returns a promise when it has to ask the browser first. */
export type Judge = (request: HTTPRequest) => RequestVerdict | Promise<RequestVerdict>;

/** What the options of a family do to a page, in the order of a visit. Hooks without work are omitted. */
export interface FamilyHooks<Options> {
  /**
   * Rules over several fields. `given` holds the names that the caller sent, as opposed to defaults.
   * Runs in the API, without a browser, after the rule of each field has passed.
   */
  readonly check?: (options: Options, given: ReadonlySet<string>) => readonly Fault[];
  /**
   * The options that a caller decides about, besides the one that he sends: an operator's default for them does not apply.
   * Rules of `check` need no entry here: a default that contradicts the caller's options never applies.
   */
  readonly decides?: Readonly<Record<string, readonly string[]>>;
  /** Before navigation: emulation, cookies, scripts that run in every document. */
  readonly prepare?: (visit: Visit, options: Options) => Promise<void>;
  /**
   * Called once before navigation. Returns a judge of requests when the options need one: interception costs time, so it
   * is enabled only when at least one family returns a judge.
   */
  readonly judge?: (visit: Visit, options: Options) => Judge | undefined;
  /**
   * Once the main document has responded, whether or not the page is complete: the place to fail early. It must not
   * change the page. Not called for an `html` target.
   */
  readonly arrive?: (visit: Visit, options: Options) => void;
  /** Once the page has loaded, before any family changes it. */
  readonly loaded?: (visit: Visit, options: Options) => Promise<void>;
  /** Between navigation and rendering: changes to the page, waits, conditions. */
  readonly settle?: (visit: Visit, options: Options) => Promise<void>;
  /** Before the page takes the window of other outputs: lets go on what `settle` has stopped. In the reverse order of work. */
  readonly release?: (visit: Visit) => Promise<void>;
  /** After `release`: brings the page into the window of other outputs, and settles it for what they share. */
  readonly settleAgain?: (visit: Visit, options: Options) => Promise<void>;
  /** Makes the page, as it is settled for several outputs, show what one of them shows. */
  readonly frame?: (visit: Visit, options: Options) => Promise<void>;
  /** Undoes what `frame` did, or the part of `settleAgain` that is not for all outputs. In the reverse order of work. */
  readonly unframe?: (visit: Visit, options: Options) => Promise<void>;
}

/** A group of options and what they do, both in one file. */
export interface Family<Own extends object = object, Seen extends Own = Own> extends FamilyHooks<Seen> {
  readonly name: string;
  readonly doc: string;
  readonly type: AnyClass<Own>;
}

/** @typeParam Seen what the hooks read, when they read options of other families as well */
export function defineFamily<Own extends object, Seen extends Own = Own>(
  about: { readonly name: string; readonly doc: string },
  type: AnyClass<Own>,
  hooks: FamilyHooks<Seen> = {},
): Family<Own, Seen> {
  return { ...about, type, ...hooks };
}

type ClassesOf<Families extends readonly { readonly type: unknown }[]> = {
  -readonly [I in keyof Families]: Families[I]['type'];
};

/** The classes of the options of these families, in their order. */
export function classesOf<const Families extends readonly { readonly type: unknown }[]>(
  families: Families,
): ClassesOf<Families> {
  return families.map(({ type }) => type) as ClassesOf<Families>;
}
