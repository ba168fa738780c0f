import { setTimeout as delay } from 'node:timers/promises';
import type { ReadinessReport } from '../page-reports.js';
import { ContentProbe } from './content-probe.js';
import type { Visit } from './family.js';
import { inDocumentsToCome, inPage, PageScriptError, type SafeAccess } from './in-page.js';
import { OpenRequests } from './open-requests.js';
import { PageProbe, type Look } from './page-probe.js';
import { PlaceholderProbe } from './placeholder-probe.js';
import { drawFrames, WaitTimeoutError, withDeadline } from './wait.js';
import { WindowReader } from './window-reader.js';

/** Interval between two looks at a page, and at one that may be ready. */
const LOOK_MS = 100;
const COMPLETE_LOOK_MS = 50;
/** So many looks in a row have to find the page complete. */
const COMPLETE_LOOKS = 3;
/** Scripts react late to a response, to an action of the capture and to their own changes. */
const QUIET_MS = 250;
/** A layout that changes for longer will not stop changing. */
const RESTLESS_MS = 3_000;
/** Maximum wait for two frames, which take 32 ms; a page that is not drawn gives none. */
const FRAMES_MS = 200;
/** The first look may take this long even when there is no time to wait. */
const FIRST_LOOK_MS = 200;

/** Prepares `waitUntilReady`. Call before the navigation. */
export async function watchReadiness(visit: Visit): Promise<void> {
  visit.openRequests = new OpenRequests(visit.page);
  await inDocumentsToCome(visit, { run: watch, uses: USES });
}

/**
 * Waits until a page that has loaded is ready to be captured, and no longer:
 *
 * - A page that is complete and has not changed since its load is ready at the first look.
 * - Any other page is looked at repeatedly until three looks in a row find it complete and it has been quiet for a while.
 *   Then two frames draw what has come.
 *
 * It is complete when it has loaded (or its load hangs), when its fonts, the images of its window and its requests have
 * arrived (or hang), and when the window shows content: not nothing, and no placeholders of what is to come. It is quiet when
 * its content, its requests, its height and its layout have not changed. What goes on endlessly is part of the page and is not
 * waited for: animations, clocks, polls and streams.
 *
 * At `until`, as `performance.now()` counts, the wait ends, and the page is captured as it is.
 *
 * @param after What happened to the page. After an action it is not ready at the first look: it may react late.
 */
export async function waitUntilReady(
  visit: Visit,
  after: 'load' | 'action',
  until: number,
): Promise<ReadinessReport> {
  const wait = new ReadinessWait(visit, until);
  const by = await wait.run(after);
  return wait.report(by);
}

class ReadinessWait {
  private readonly startedAt = performance.now();
  private last?: Look;
  /** Number of layouts and styles that the browser has computed so far. */
  private layouts?: number;
  private layoutChangedAt = -Infinity;
  private restlessSince = Infinity;

  constructor(
    private readonly visit: Visit,
    private readonly until: number,
  ) {}

  async run(after: 'load' | 'action'): Promise<ReadinessReport['by']> {
    const first = await this.look(Math.max(this.until, this.startedAt + FIRST_LOOK_MS));
    if (!first) return 'timeout';
    if (after === 'load' && !first.hasChangedSinceLoad && this.isComplete(first)) return 'quiet';
    for (let completeLooks = 0; ;) {
      const pauseMs = completeLooks > 0 ? COMPLETE_LOOK_MS : LOOK_MS;
      if (performance.now() + pauseMs >= this.until) return 'timeout';
      await delay(pauseMs, undefined, { signal: this.visit.signal });
      const before = this.last;
      const now = await this.look(this.until);
      if (!now) return 'timeout';
      await this.compareLayout(now, before);
      completeLooks = this.isComplete(now) ? completeLooks + 1 : 0;
      if (completeLooks >= COMPLETE_LOOKS && this.isQuiet(now)) break;
    }
    await drawFrames(this.visit, Math.min(this.until, performance.now() + FRAMES_MS));
    return 'quiet';
  }

  report(by: ReadinessReport['by']): ReadinessReport {
    return {
      by,
      waited_ms: Math.round(performance.now() - this.startedAt),
      pending: this.visit.openRequests?.report() ?? [],
      // A page that is too busy to be looked at has shown neither.
      fonts: this.last?.fonts ?? 'pending',
      images: this.last?.images ?? { total: 0, pending: 0, broken: 0 },
    };
  }

  /** A look at the page; undefined when it allows none: it is too busy or navigates until the time is over. */
  private async look(until: number): Promise<Look | undefined> {
    try {
      const wait = { until, message: 'The page is busy.' };
      this.last = await withDeadline(wait, inPage(this.visit, { run: look, uses: USES }, null));
      return this.last;
    } catch (error) {
      const isHarmless = error instanceof WaitTimeoutError || error instanceof PageScriptError;
      if (!isHarmless) throw error;
      return undefined;
    }
  }

  private isComplete({ isLoaded, isLoading, content }: Look): boolean {
    const isAwaited = this.visit.openRequests?.areAwaited() ?? false;
    return isLoaded && !isLoading && content === 'drawn' && !isAwaited;
  }

  /** Whether content, requests and layout have not changed for a while. */
  private isQuiet({ quietMs, isAnimated }: Look): boolean {
    const now = performance.now();
    const requestedAt = this.visit.openRequests?.changedAt ?? -Infinity;
    const isLayoutQuiet = isAnimated || now - this.layoutChangedAt >= QUIET_MS;
    this.restlessSince = isLayoutQuiet ? Infinity : Math.min(this.restlessSince, now);
    return (
      Math.min(quietMs ?? Infinity, now - Math.max(this.startedAt, requestedAt)) >= QUIET_MS &&
      (isLayoutQuiet || now - this.restlessSince > RESTLESS_MS)
    );
  }

  private async compareLayout(now: Look, before: Look | undefined): Promise<void> {
    const { cdp } = this.visit;
    // Only here: a page that is ready at once need not pay for it.
    if (this.layouts === undefined) await cdp.send('Performance.enable', { timeDomain: 'timeTicks' });
    const { metrics } = await cdp.send('Performance.getMetrics');
    const counts = metrics.filter(({ name }) => name === 'LayoutCount' || name === 'RecalcStyleCount');
    const layouts = counts.reduce((sum, { value }) => sum + value, 0);
    const isSame = layouts === (this.layouts ?? layouts) && now.height === before?.height;
    if (!isSame) this.layoutChangedAt = performance.now();
    this.layouts = layouts;
  }
}

const USES = [WindowReader, PlaceholderProbe, ContentProbe, PageProbe, probeOf];

/** Runs in the page. All looks at one document use the same probe. */
function probeOf(safe: SafeAccess): PageProbe {
  // Under a symbol: the name of an element could shadow a string.
  const key = Symbol.for('page probe');
  const world = globalThis as typeof globalThis & { [key]?: PageProbe };
  if (world[key]) return world[key];
  const reader = new WindowReader(safe);
  const content = new ContentProbe(reader, new PlaceholderProbe(reader));
  return (world[key] = new PageProbe(safe, reader, content));
}

/** Runs in the page. */
function watch(_: null, safe: SafeAccess): void {
  probeOf(safe);
}

/** Runs in the page. */
function look(_: null, safe: SafeAccess): Look {
  return probeOf(safe).look();
}
