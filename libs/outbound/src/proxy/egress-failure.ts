import { NameServersAwayError } from '../watched-resolver.js';

/** The reasons for which a request fails: the status that the proxy responds with, and Chromium's name for the error. */
export const EGRESS_FAILURES = {
  forbidden: { status: 403, netError: 'ERR_BLOCKED_BY_ADMINISTRATOR' },
  /** By the screen of the capture: the page may not request this host. */
  screened: { status: 403, netError: 'ERR_BLOCKED_BY_CLIENT' },
  limit: { status: 403, netError: 'ERR_INSUFFICIENT_RESOURCES' },
  dns: { status: 502, netError: 'ERR_NAME_NOT_RESOLVED' },
  /** The name servers of this machine did not answer. */
  resolver: { status: 502, netError: 'ERR_NAME_RESOLUTION_FAILED' },
  refused: { status: 502, netError: 'ERR_CONNECTION_REFUSED' },
  unreachable: { status: 502, netError: 'ERR_ADDRESS_UNREACHABLE' },
  reset: { status: 502, netError: 'ERR_CONNECTION_RESET' },
  empty: { status: 502, netError: 'ERR_EMPTY_RESPONSE' },
  invalid: { status: 502, netError: 'ERR_INVALID_HTTP_RESPONSE' },
  timeout: { status: 504, netError: 'ERR_CONNECTION_TIMED_OUT' },
} as const satisfies Record<string, { status: number; netError: string }>;

export type EgressFailureKind = keyof typeof EGRESS_FAILURES;

const REFUSALS: readonly (string | undefined)[] = (['forbidden', 'screened', 'limit'] as const).map(
  (kind) => EGRESS_FAILURES[kind].netError,
);

/** Whether the proxy refused the request, as opposed to a host that could not be reached. */
export function isRefusal(netError: string | undefined): boolean {
  return REFUSALS.includes(netError);
}

const KINDS: Readonly<Record<string, EgressFailureKind>> = {
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
  ENETUNREACH: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
};

/** The process or the machine has no file descriptor left. */
const SHORTAGES: readonly unknown[] = ['EMFILE', 'ENFILE'];

/** A connection could not be opened, or was lost. */
export class EgressFailure extends Error {
  override readonly name = 'EgressFailure';

  constructor(
    readonly kind: EgressFailureKind,
    cause?: unknown,
  ) {
    super(kind, { cause });
  }

  /** Whether this process is the cause, not the host. */
  get isOurs(): boolean {
    return SHORTAGES.includes((this.cause as NodeJS.ErrnoException | undefined)?.code);
  }

  /** Whether no host can be reached by name, so that the page lacks more than one file. */
  get isOutage(): boolean {
    return this.cause instanceof NameServersAwayError;
  }

  static from(error: unknown): EgressFailure {
    if (error instanceof EgressFailure) return error;
    const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
    return new EgressFailure(KINDS[code] ?? (code.startsWith('HPE_') ? 'invalid' : 'refused'), error);
  }
}

/** More origins than a usual page has; a page that requests new ones without end must not fill the memory. */
const MAX_ORIGINS = 1_000;

/** The last failure of each origin. */
export class FailureLog {
  private readonly kinds = new Map<string, EgressFailureKind>();

  add(authority: string, kind: EgressFailureKind): void {
    // Moved to the end, so that the first origin is the one that failed longest ago.
    this.kinds.delete(authority);
    this.kinds.set(authority, kind);
    const [oldest] = this.kinds.keys();
    if (this.kinds.size > MAX_ORIGINS && oldest !== undefined) this.kinds.delete(oldest);
  }

  clear(): void {
    this.kinds.clear();
  }

  last(authority: string): EgressFailureKind | undefined {
    return this.kinds.get(authority);
  }
}
