import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EveryFrame } from '../pipeline/every-frame.js';
import type { Visit } from '../pipeline/family.js';
import { OpenRequests } from '../pipeline/open-requests.js';
import { documentScript, type ClockOrder } from './clock-script.js';

/** While the page is prepared, virtual time passes in steps as long as real ones. */
const STEP_MS = 25;
/** A machine that is this late is too busy for its delay to count. */
const MAX_STEP_MS = 500;
/** At the end it passes in longer steps, which take as long as the page works. Those without a timer are left out. */
const LAST_STEP_MS = 100;
const LOOK_MS = 5;
/** The virtual times at which a page is held, in ms. A page that takes about as long each time is held at the same one. */
const MARKS_MS = [5_000, 10_000, 20_000, 40_000, 80_000, 160_000] as const;

/** Time stands still for requests that follow each other this long at most. */
const MAX_PAUSE_MS = 3_000;

/**
 * The virtual time of the documents of a visit. It stands still while something loads, so that what the page does then does not
 * depend on how long it took, and ends at a mark, so that it does not depend on how long the capture took either.
 */
export class VirtualClock {
  private nowMs = 0;
  /** Where it was stopped last. */
  private mark = -Infinity;
  private isEnded = false;
  private readonly requests: OpenRequests;
  private pausedSince: number | undefined;
  private running: Promise<void> = Promise.resolve();
  /** Pages cannot guess the name of the events. */
  private readonly type = randomUUID();

  private constructor(
    private readonly visit: Visit,
    private readonly frames: EveryFrame,
  ) {
    this.requests = visit.openRequests ??= new OpenRequests(visit.page);
  }

  /** Starts the clock. To be called before navigation. */
  static async start(visit: Visit, frames: EveryFrame): Promise<VirtualClock> {
    const clock = new VirtualClock(visit, frames);
    visit.page.on('framenavigated', (frame) => {
      if (frame === visit.page.mainFrame()) [clock.nowMs, clock.mark] = [0, -Infinity];
    });
    await visit.frameSessions.follow(async ({ cdp, frameId }) => {
      if (frameId === undefined) return;
      await Promise.all([
        // Without it the scripts do not run.
        cdp.send('Page.enable'),
        cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: documentScript(clock.type) }),
      ]);
    });
    clock.running = clock.keepPace();
    return clock;
  }

  /** Lets time pass up to the next mark, unless that takes until `until`, and stops it. It may be called again. */
  async stop(until: number): Promise<void> {
    this.isEnded = true;
    await this.running;
    const mark = MARKS_MS.find((ms) => ms >= this.nowMs && ms > this.mark) ?? this.nowMs;
    this.mark = mark;
    let next: number | undefined;
    while (performance.now() < until) {
      if (this.mustPause()) {
        // What has loaded may set timers.
        next = undefined;
        await delay(LOOK_MS);
      } else if (this.nowMs >= mark) return;
      else if (next === undefined) next = await this.nextStep(['hello'], { to: mark, waitMs: 0 });
      else {
        // Each document gets as old as the page, whenever it began.
        this.nowMs = next;
        next = await this.nextStep(['reach', next], { to: mark, waitMs: until - performance.now() });
      }
    }
  }

  /** Until the clock is stopped or the visit ends. A page that is busy keeps it waiting. */
  private async keepPace(): Promise<void> {
    const { signal } = this.visit;
    for (let last = performance.now(); !this.isEnded && !signal.aborted;) {
      await delay(STEP_MS);
      const passed = performance.now() - last;
      last += passed;
      if (this.mustPause() || this.isEnded) continue;
      const ms = Math.min(MAX_STEP_MS, passed - (passed % STEP_MS));
      last -= passed % STEP_MS;
      this.nowMs += ms;
      await this.frames.run(giveOrder, { type: this.type, order: ['pass', ms], waitMs: 0, look: null });
    }
  }

  private mustPause(): boolean {
    const now = performance.now();
    this.pausedSince = this.requests.areAwaited() ? (this.pausedSince ?? now) : undefined;
    return this.pausedSince !== undefined && now - this.pausedSince < MAX_PAUSE_MS;
  }

  /** Gives an order. Returns the end of the next step in which a document has a timer; `to` when there is none before. */
  private async nextStep(
    order: ClockOrder,
    { to, waitMs }: { readonly to: number; readonly waitMs: number },
  ): Promise<number> {
    const look = { fromMs: this.nowMs, toMs: to, stepMs: LAST_STEP_MS };
    const ends = await this.frames.run(giveOrder, { type: this.type, order, waitMs, look });
    return Math.min(to, ...ends.filter((end) => end !== null));
  }
}

interface Given {
  readonly type: string;
  readonly order: ClockOrder;
  /** Maximum time until the order is carried out. */
  readonly waitMs: number;
  /** Where to look for the next timer afterwards. */
  readonly look: { readonly fromMs: number; readonly toMs: number; readonly stepMs: number } | null;
}

/** Runs in the page. Returns the end of the next step with a timer; null in a document without virtual time, which runs no scripts. */
async function giveOrder({ type, order, waitMs, look }: Given): Promise<number | null> {
  const dispatchOrder = (detail: ClockOrder): boolean =>
    !performance.dispatchEvent(new CustomEvent(type, { detail, cancelable: true }));
  if (!dispatchOrder(['hello'])) return null;
  const until = performance.now() + waitMs;
  const { port1, port2 } = new MessageChannel();
  while (!dispatchOrder(order) && performance.now() < until) {
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(null);
    });
  }
  if (look === null) return null;
  let end = look.fromMs + look.stepMs;
  while (end < look.toMs && !dispatchOrder(['ask', end])) end += look.stepMs;
  return end;
}
