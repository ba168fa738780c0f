import type { SessionFact } from '../record/session.js';

/**
 * What a browser keeps after a log-in, in the format of Playwright's `storageState`, with `indexedDB` and, beyond
 * Playwright, `sessionStorage`.
 */
export interface BrowserState {
  readonly cookies: readonly StateCookie[];
  readonly origins: readonly OriginState[];
}

export interface StateCookie {
  readonly name: string;
  readonly value: string;
  /** A host, or a domain with a leading dot for a cookie that its subdomains get, too. */
  readonly domain: string;
  readonly path: string;
  /** Seconds since 1970; -1 for a cookie that lasts as long as the browser. */
  readonly expires: number;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
  /** The site in whose pages alone a partitioned cookie (CHIPS) is sent. */
  readonly partitionKey?: { readonly topLevelSite: string; readonly hasCrossSiteAncestor: boolean };
}

export interface OriginState {
  readonly origin: string;
  readonly localStorage: readonly StoredText[];
  readonly sessionStorage?: readonly StoredText[];
  readonly indexedDB?: readonly StateDatabase[];
}

export interface StoredText {
  readonly name: string;
  readonly value: string;
}

/** One database of IndexedDB; it may be empty. */
export interface StateDatabase {
  readonly name: string;
  readonly version: number;
  readonly stores: readonly StateStore[];
}

export interface StateStore {
  readonly name: string;
  readonly keyPath?: string;
  readonly keyPathArray?: readonly string[];
  readonly autoIncrement: boolean;
  readonly indexes: readonly StateIndex[];
  readonly records: readonly StateRecord[];
}

export interface StateIndex {
  readonly name: string;
  readonly keyPath?: string;
  readonly keyPathArray?: readonly string[];
  readonly multiEntry: boolean;
  readonly unique: boolean;
}

/** `…Encoded` hold what JSON cannot, such as a date, as Playwright writes it. */
export interface StateRecord {
  readonly key?: unknown;
  readonly keyEncoded?: unknown;
  readonly value?: unknown;
  readonly valueEncoded?: unknown;
}

/** What a capture does with a session. */
export interface SessionUse {
  /** The origins that a session is for: nothing of others is filled in or kept, and secrets may be typed into these. */
  readonly origins: readonly string[];
  /** What the context is filled with before the first navigation; null for none. */
  readonly state: BrowserState | null;
  /** Whether the state is read again at the end of the capture. */
  readonly isKept: boolean;
  /** For the record. */
  readonly fact: SessionFact | null;
  /** Captures with the same text share a context, one after the other; undefined where the capture gets one of its own. */
  readonly share?: string | undefined;
}

/** The storage of an origin, which is filled in its first document of the page. */
export interface StorageFill {
  /**
   * Resolves once the current document has been filled, if it is of the origin.
   *
   * @throws AppError `script_failed` if that was not possible
   */
  settled(): Promise<void>;
  /** Ends the filling, and returns what has not been filled. */
  takeRest(): Promise<OriginState | undefined>;
}
