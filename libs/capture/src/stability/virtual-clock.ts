import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { HTTPRequest, ResourceType } from 'puppeteer';
import type { EveryFrame } from '../pipeline/every-frame.js';
import type { Visit } from '../pipeline/family.js';
import { documentScript, workerScript, type ClockOrder } from './clock-script.js';

/** While the page is prepared, virtual time passes in steps as long as real ones. */
const STEP_MS = 25;
/** At the end it passes in longer steps, which take as long as the page works. */
const LAST_STEP_MS = 100;
const LOOK_MS = 5;
/** The virtual times at which a page is held, in ms. A page that takes about as long each time is held at the same one. */
const MARKS_MS = [2_000, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000] as const;

/** Resources that scripts may wait for. Streams, beacons and media may never end. */
const AWAITED: ReadonlySet<ResourceType> = new Set([
  'document',
  'stylesheet',
  'image',
  'font',
  'script',
  'xhr',
  'fetch',
]);
/** Time stands still for a request this long at most, and for requests that follow each other this long. */
const MAX_REQUEST_MS = 1_500;
const MAX_PAUSE_MS = 3_000;

/**
 * The virtual time of the documents of a visit. It stands still while something loads, so that what the page does then does not
 * depend on how long it took, and ends at a mark, so that it does not depend on how long the capture took either.
 */
export class VirtualClock {
  private nowMs = 0;
  private isEnded = false;
  private readonly loading = new Map<HTTPRequest, number>();
  private pausedSince: number | undefined;
  private running: Promise<void> = Promise.resolve();
  /** Pages cannot guess the name of the events. */
  private readonly type = randomUUID();

  private constructor(
    private readonly visit: Visit,
    private readonly frames: EveryFrame,
  ) {}

  /** Starts the clock. To be called before navigation. */
  static async start(visit: Visit, frames: EveryFrame): Promise<VirtualClock> {
    const clock = new VirtualClock(visit, frames);
    clock.followPage();
    await visit.frameSessions.follow(async ({ cdp, frameId }) => {
      await (frameId === undefined
        ? cdp.send('Runtime.evaluate', { expression: workerScript() })
        : cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: documentScript(clock.type) }));
    });
    clock.running = clock.keepPace();
    return clock;
  }

  /** Lets time pass up to the next mark, unless that takes until `until`, and stops it. */
  async stop(until: number): Promise<void> {
    this.isEnded = true;
    await this.running;
    const mark = MARKS_MS.find((ms) => ms >= this.nowMs) ?? this.nowMs;
    while (performance.now() < until) {
      if (this.mustPause()) await delay(LOOK_MS);
      else if (this.nowMs >= mark) return;
      else {
        const hasWork = (await this.ask(['ask', mark])).some(Boolean);
        const next = hasWork ? Math.min(mark, this.nowMs + LAST_STEP_MS) : mark;
        await this.advance(next, until - performance.now());
      }
    }
  }

  private followPage(): void {
    const { page } = this.visit;
    const end = (request: HTTPRequest): void => {
      this.loading.delete(request);
    };
    page.on('request', (request) => {
      const isAwaited = AWAITED.has(request.resourceType()) && request.url().startsWith('http');
      if (isAwaited) this.loading.set(request, performance.now());
    });
    page.on('requestfinished', end);
    page.on('requestfailed', end);
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.nowMs = 0;
    });
  }

  /** Until the clock is stopped or the visit ends. A page that is busy keeps it waiting. */
  private async keepPace(): Promise<void> {
    const { signal } = this.visit;
    while (!this.isEnded && !signal.aborted) {
      await delay(STEP_MS);
      if (!this.mustPause() && !this.isEnded) await this.advance(this.nowMs + STEP_MS, 0);
    }
  }

  private mustPause(): boolean {
    const now = performance.now();
    const isLoading = [...this.loading.values()].some((since) => now - since < MAX_REQUEST_MS);
    this.pausedSince = isLoading ? (this.pausedSince ?? now) : undefined;
    return this.pausedSince !== undefined && now - this.pausedSince < MAX_PAUSE_MS;
  }

  /** Lets time pass in all documents, and waits up to `waitMs` for those that have much to do. */
  private async advance(to: number, waitMs: number): Promise<void> {
    const from = this.nowMs;
    this.nowMs = to;
    await this.ask(['advance', from, to], waitMs);
  }

  /** The answers of the documents that have virtual time. */
  private async ask(order: ClockOrder, waitMs = 0): Promise<boolean[]> {
    const answers = await this.frames.run(giveOrder, { type: this.type, order, waitMs });
    return answers.filter((answer) => answer !== null);
  }
}

interface Given {
  readonly type: string;
  readonly order: ClockOrder;
  /** Maximum time until the answer is yes. */
  readonly waitMs: number;
}

/** Runs in the page. Null in a document without virtual time: one that runs no scripts. */
async function giveOrder({ type, order, waitMs }: Given): Promise<boolean | null> {
  const give = (detail: ClockOrder): boolean =>
    !performance.dispatchEvent(new CustomEvent(type, { detail, cancelable: true }));
  if (!give(['hello'])) return null;
  const until = performance.now() + waitMs;
  const { port1, port2 } = new MessageChannel();
  let answer = give(order);
  while (!answer && performance.now() < until) {
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(null);
    });
    answer = give(order);
  }
  return answer;
}
