/** Why the proxy did not bring a page to somebody: the status it refuses with, and what Chromium calls it. */
export const OUTAGES = {
  forbidden: { status: 403, netError: 'ERR_BLOCKED_BY_ADMINISTRATOR' },
  limit: { status: 403, netError: 'ERR_INSUFFICIENT_RESOURCES' },
  dns: { status: 502, netError: 'ERR_NAME_NOT_RESOLVED' },
  refused: { status: 502, netError: 'ERR_CONNECTION_REFUSED' },
  unreachable: { status: 502, netError: 'ERR_ADDRESS_UNREACHABLE' },
  reset: { status: 502, netError: 'ERR_CONNECTION_RESET' },
  empty: { status: 502, netError: 'ERR_EMPTY_RESPONSE' },
  invalid: { status: 502, netError: 'ERR_INVALID_HTTP_RESPONSE' },
  timeout: { status: 504, netError: 'ERR_CONNECTION_TIMED_OUT' },
} as const satisfies Record<string, { status: number; netError: string }>;

export type OutageKind = keyof typeof OUTAGES;

/** Whether the proxy did not want to go there, as opposed to somebody who could not be reached. */
export function isRefusal(netError: string | undefined): boolean {
  return netError === OUTAGES.forbidden.netError || netError === OUTAGES.limit.netError;
}

const KINDS: Readonly<Record<string, OutageKind>> = {
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
  ENETUNREACH: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
};

/** The process, or the machine, has no file descriptor left. */
const SHORTAGES: readonly unknown[] = ['EMFILE', 'ENFILE'];

/** A connection that was not made, or not kept. */
export class Outage extends Error {
  override readonly name = 'Outage';

  constructor(
    readonly kind: OutageKind,
    cause?: unknown,
  ) {
    super(kind, { cause });
  }

  /** Nobody but this process is to blame. */
  get isOurs(): boolean {
    return SHORTAGES.includes((this.cause as NodeJS.ErrnoException | undefined)?.code);
  }

  static from(error: unknown): Outage {
    if (error instanceof Outage) return error;
    const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
    return new Outage(KINDS[code] ?? (code.startsWith('HPE_') ? 'invalid' : 'refused'), error);
  }
}

/** More origins than a page has: a page that asks for new ones without end must not fill the memory. */
const MAX_LOGGED = 1_000;

/** What went wrong last with each origin. */
export class OutageLog {
  private readonly kinds = new Map<string, OutageKind>();

  add(authority: string, kind: OutageKind): void {
    // Moved to the end, so that the origin that failed longest ago is the first.
    this.kinds.delete(authority);
    this.kinds.set(authority, kind);
    const [oldest] = this.kinds.keys();
    if (this.kinds.size > MAX_LOGGED && oldest !== undefined) this.kinds.delete(oldest);
  }

  last(authority: string): OutageKind | undefined {
    return this.kinds.get(authority);
  }
}
