import type { BrowserContext, CDPSession, Frame, HTTPRequest, Page, Protocol, Viewport } from 'puppeteer';
import type { FilterSet } from '@app/filters';
import type { AnyClass, Fault } from '@app/kernel';
import type { SessionUse, StorageFill } from './browser-state.js';
import type { CaptureFacts } from '../record/facts.js';
import type { FrameLoads } from './frame-loads.js';
import type { FrameSessions } from './frame-sessions.js';
import type { NavigateSlots, PrepareSlots, RenderSlots, SettleSlots } from './visit-slots.js';

/** One visit to a page, as the hooks of families and formats see it: with what they leave for each other in each phase. */
export interface Visit extends PrepareSlots, NavigateSlots, SettleSlots, RenderSlots {
  readonly page: Page;
  /** The topmost frame. `page.mainFrame()` is the same one, but throws once the page is gone. */
  readonly mainFrame: Frame;
  /** The isolated world of the document that the main frame shows, once it has been opened. */
  readonly isolatedWorld: { contextId?: number | undefined };
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
  /** Says how the next dialog of the page is answered; all others are dismissed. */
  answerNextDialog(
    this: void,
    answer: { readonly isAccepted: boolean; readonly text: string | undefined },
  ): void;
  /** What the window of the page is emulated as. It changes between the outputs of a capture. */
  viewport: Required<Viewport>;
  /** The same as the browser takes it, with the screen. */
  metrics: Protocol.Emulation.SetDeviceMetricsOverrideRequest;
  /** The page to visit; null for an `html` target. */
  readonly target: URL | null;
  /** The session with which the page is visited; undefined without one. */
  readonly session: SessionUse | undefined;
  /** Fills what the session has stored for the target's origin; undefined for nothing, and where it was filled before. */
  readonly storageFill: StorageFill | undefined;
  /** Aborted at the deadline and on cancellation, with the AppError as its reason. */
  readonly signal: AbortSignal;
  /** Time until the deadline in ms, at least 0. */
  remainingMs(): number;
  /** Filled in as the visit goes on. */
  readonly facts: CaptureFacts;
  /** What the network says about the frames of the page. */
  readonly frameLoads: FrameLoads;
  /** The filter lists as they were when the capture began. */
  readonly filters: FilterSet;
  /** Makes the egress proxy refuse the hosts for which `isScreened` returns true; it is called once for each request. */
  screenHosts(this: void, isScreened: (host: string) => boolean): void;
  /** Why the egress proxy did not reach a URL, as the name of a Chromium net error. */
  netErrorOf(this: void, url: string): string | undefined;
}

/** What a family decides about a request: headers to send with it, nothing, or that it is not sent. */
export type RequestVerdict = 'pass' | 'refuse' | { readonly headers: Readonly<Record<string, string>> };

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
