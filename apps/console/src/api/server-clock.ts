/** An answer of the service, with the local times around it. */
interface Answer {
  /** The header Date, in whole seconds. */
  readonly date: string | null;
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** How far the clock of the service may be ahead of that of the browser, in ms. */
interface Ahead {
  readonly least: number;
  readonly most: number;
}

const SECOND_MS = 1_000;
/** Texts of times are renewed this often. */
const RENEWED_MS = 5_000;

/**
 * The clock of the service. The times in its answers are by this clock, and the clock of the browser may be wrong by minutes: by
 * that one, a capture that was just made would be "in 5 min.".
 */
export class ServerClock {
  private ahead: Ahead | null = null;
  private readonly listeners = new Set<() => void>();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly local: () => number = Date.now) {}

  /** Each answer narrows down the difference of the clocks; one that contradicts the others says that a clock was set. */
  readonly note = ({ date, sentMs, receivedMs }: Answer): void => {
    const second = Date.parse(date ?? '');
    if (Number.isNaN(second)) return;
    const said: Ahead = { least: second - receivedMs, most: second + SECOND_MS - sentMs };
    const known = this.ahead ?? said;
    const both = { least: Math.max(known.least, said.least), most: Math.min(known.most, said.most) };
    this.ahead = both.least <= both.most ? both : said;
    this.tell();
  };

  readonly now = (): number => this.serverTimeOf(this.local());

  /** The time of the service at a local time. */
  readonly serverTimeOf = (localMs: number): number =>
    this.ahead === null ? localMs : localMs + (this.ahead.least + this.ahead.most) / 2;

  /** Calls the listener whenever the texts of times may have changed. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.timer ??= setInterval(this.tell, RENEWED_MS);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  };

  private readonly tell = (): void => {
    for (const listener of this.listeners) listener();
  };
}

export const serverClock = new ServerClock();

/** `fetch`, whose answers set the clock. One that the browser may have kept is as old as its Date, and does not. */
export async function fetchAndSetClock(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const sentMs = Date.now();
  const response = await fetch(input, init);
  const isFresh = response.headers.get('Cache-Control')?.includes('no-store') ?? false;
  if (isFresh) serverClock.note({ date: response.headers.get('Date'), sentMs, receivedMs: Date.now() });
  return response;
}
