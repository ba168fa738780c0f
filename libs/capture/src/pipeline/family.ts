import type { BrowserContext, CDPSession, HTTPRequest, HTTPResponse, Page } from 'puppeteer';
import type { AnyClass, Fault } from '@app/kernel';
import type { CaptureFacts } from '../facts.js';
import type { PageActivity } from './page-activity.js';

/** One visit of a page, as the hooks of the option families see it. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly cdp: CDPSession;
  /** Makes the browser report the execution contexts of the page, on Puppeteer's sessions; in `prepare` only. */
  reportContexts(): Promise<void>;
  /** Sets what the page, its frames and its workers tell servers and scripts of their browser; in `prepare` only. */
  setUserAgent(
    this: void,
    agent: { readonly userAgent?: string; readonly languages?: string },
  ): Promise<void>;
  /** The page to visit; null for an `html` target. */
  readonly target: URL | null;
  /** Aborted at the deadline and on cancel, with the AppError as its reason. */
  readonly signal: AbortSignal;
  /** Time in ms until the deadline, never below 0. */
  remainingMs(): number;
  /** Filled in as the visit goes on. */
  readonly facts: CaptureFacts;
  /** The main document's response once there is one; null for an `html` target. */
  response: HTTPResponse | null;
  /** The response of the main document whose body broke off, and why, such as `net::ERR_CONTENT_LENGTH_MISMATCH`. */
  broken?: { readonly response: HTTPResponse; readonly reason: string };
  /** Address of the latest document that the page was navigated to, after the redirects so far. */
  requested?: string;
  /** What the capture sets off in the page; made in `prepare` by a family that will do something to the page. */
  activity?: PageActivity;
  /** Whether the window shows a canvas or an SVG that may be a chart; known once the page has settled. */
  hasDrawings?: boolean;
  /** What the egress proxy says of an address that was not reached, in Chromium's words. */
  netErrorOf(url: string): string | undefined;
}

/** What a family says of a request. The strongest verdict of all families wins: `abort` before `headers` before `pass`. */
export type RequestVerdict = 'pass' | 'abort' | { readonly headers: Readonly<Record<string, string>> };

/** Called for every request in its order; a verdict that needs to ask the browser first is a promise. */
export type Judge = (request: HTTPRequest) => RequestVerdict | Promise<RequestVerdict>;

/** What the options of a family do to a page, in the order of a visit. Each is left out when it has nothing to do. */
export interface FamilyHooks<Options> {
  /**
   * Rules over several fields. `given` holds the names the caller wrote, as opposed to defaults.
   * Runs after each field's own rule passed, in the API: no browser here.
   */
  readonly check?: (options: Options, given: ReadonlySet<string>) => readonly Fault[];
  /** Before navigation: emulation, cookies, scripts to run in every document. */
  readonly prepare?: (visit: Visit, options: Options) => Promise<void>;
  /**
   * Which requests the family wants to judge; interception costs time, so it is on only when some family returns a
   * judge. Called once before navigation.
   */
  readonly judge?: (visit: Visit, options: Options) => Judge | undefined;
  /**
   * Once the main document has answered, whether or not the page is complete yet: the place to give up early. It only
   * looks; not called for an `html` target.
   */
  readonly arrive?: (visit: Visit, options: Options) => void;
  /** After navigation and before rendering: changes to the page, waits, conditions. */
  readonly settle?: (visit: Visit, options: Options) => Promise<void>;
}

/** A group of options and what they do: one file holds both. */
export interface Family<Options extends object = object> extends FamilyHooks<Options> {
  readonly name: string;
  readonly doc: string;
  readonly type: AnyClass<Options>;
}

export function defineFamily<Options extends object>(
  about: { readonly name: string; readonly doc: string },
  type: AnyClass<Options>,
  hooks: FamilyHooks<Options> = {},
): Family<Options> {
  return { ...about, type, ...hooks };
}
