import { setTimeout as delay } from 'node:timers/promises';
import type { AwaitedKind, ReadinessReport } from '../record/readiness.js';
import { ChangeProbe } from './change-probe.js';
import { ContentProbe } from './content-probe.js';
import type { Visit } from '../pipeline/family.js';
import { GapProbe } from './gap-probe.js';
import { inDocumentsToCome, inPage, PageScriptError, type SafeAccess } from '../pipeline/in-page.js';
import { MotionReader } from './motion-reader.js';
import { OpenRequests } from '../pipeline/open-requests.js';
import { giveOrder, motionOf, shortAnimations } from '../pipeline/page-motion.js';
import type { Look, LookAt } from '../pipeline/page-look.js';
import { PageProbe } from './page-probe.js';
import { PlaceholderProbe } from './placeholder-probe.js';
import { SkeletonProbe } from './skeleton-probe.js';
import { drawFrames, WaitTimeoutError, withDeadline } from '../pipeline/wait.js';
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
/** Parts that come one after the other come at least this often, and are awaited this long. A feed's news come rarely or endlessly. */
const MAX_BEAT_MS = 700;
const ARRIVALS_MS = 4_000;
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
 * Looks at a page that has arrived, for `waitUntilReady`, and lets Chromium draw it. This is a round trip to the page, after which
 * a navigation that its load started has been reported.
 */
export async function lookAtArrival(visit: Visit): Promise<void> {
  const looking = (visit.arrival = inPage(visit, { run: arrive, uses: [lookIfProbed] }, lookNow(visit)));
  // Nothing may await it any more.
  looking.catch(() => undefined);
  await looking;
}

/**
 * Waits until a page that has loaded is ready to be captured, and no longer:
 *
 * - A page that is complete and has not changed since its load is ready at the first look.
 * - Any other page is looked at repeatedly until three looks in a row find it complete and it has been quiet for a while.
 *   Then two frames draw what has come.
 *
 * It is complete when it has loaded (or its load hangs), when its fonts, the images of its window and its requests have
 * arrived (or hang), and when the window shows content: not nothing, no placeholders of what is to come, no empty place for what a
 * stream or a timer is about to bring, and no text that is being typed. It is quiet when its content, its requests, its height and
 * its layout have not changed, and when no further part is due where several came one after the other. What goes on endlessly is
 * part of the page and is not waited for: animations, clocks, polls and streams. Each of these waits has a bound of its own.
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
  private readonly awaited = new Set<AwaitedKind>();
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
    const first = await this.firstLook(after);
    if (!first) return 'timeout';
    if (after === 'action') this.awaited.add('action');
    else if (first.hasChangedSinceLoad) this.awaited.add('changes');
    const isReady = this.isComplete(first) && !this.isArriving(first);
    this.visit.motion = { seen: first.motion, at: performance.now() };
    if (isReady && this.awaited.size === 0) return 'quiet';
    if (after === 'load' && (await this.becomesStill(first))) return 'quiet';
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
      if (after === 'load' && (await this.becomesStill(now))) break;
    }
    await drawFrames(this.visit, Math.min(this.until, performance.now() + FRAMES_MS));
    return 'quiet';
  }

  report(by: ReadinessReport['by']): ReadinessReport {
    return {
      by,
      waited_ms: Math.round(performance.now() - this.startedAt),
      waited_for: [...this.awaited],
      pending: this.visit.openRequests?.report() ?? [],
      // A page that is too busy to be looked at has shown neither.
      fonts: this.last?.fonts ?? 'pending',
      images: this.last?.images ?? { total: 0, pending: 0, broken: 0 },
    };
  }

  private async firstLook(after: 'load' | 'action'): Promise<Look | undefined> {
    const until = Math.max(this.until, this.startedAt + FIRST_LOOK_MS);
    const { arrival } = this.visit;
    this.visit.arrival = undefined;
    const early = after === 'load' ? await this.tryLook(until, arrival) : undefined;
    const first = early ?? (await this.look(until));
    // The page may have opened a stream during the look.
    const isOver = !first || first.isStreaming || !isStreaming(this.visit);
    return isOver ? first : this.look(until);
  }

  /**
   * Brings what moves to its end, or leaves it where it is to be frozen, when nothing else is missing. Returns whether the page is
   * ready then: it has had the time to be quiet, though not on our clock.
   */
  private async becomesStill(look: Look): Promise<boolean> {
    const { animations } = this.visit;
    if (!animations || !look.motion.isMoving || !this.isComplete(look) || this.isArriving(look)) return false;
    if (animations.mode === 'freeze') return true;
    const ended = await unlessBusy(this.until, animations.finish(false));
    const then = !ended || ended.end === 'loading' ? undefined : await this.look(this.until);
    const isStill = ended?.end === 'rest' || (ended?.quietMs ?? 0) >= QUIET_MS;
    return then !== undefined && isStill && this.isComplete(then);
  }

  /** A look at the page; undefined when it allows none: it is too busy or navigates until the time is over. */
  private look(until: number): Promise<Look | undefined> {
    return this.tryLook(until, lookAt(this.visit, lookNow(this.visit)));
  }

  private async tryLook(until: number, looking?: Promise<Look | null>): Promise<Look | undefined> {
    const look = looking && (await unlessBusy(until, looking));
    this.last = look ?? this.last;
    return look ?? undefined;
  }

  /** Whether nothing is missing. */
  private isComplete(look: Look): boolean {
    const { openRequests } = this.visit;
    return this.isNone({
      load: !look.isLoaded,
      requests: openRequests?.areAwaited() ?? false,
      fonts: look.areFontsAwaited,
      images: look.areImagesAwaited,
      content: look.content === 'empty',
      placeholders: look.content === 'partial',
      socket: look.hasGap && look.isStreaming,
      gap: look.hasGap && !look.isStreaming,
      text: look.isTyping,
    });
  }

  /** Whether content, requests and layout have not changed for a while. */
  private isQuiet(look: Look): boolean {
    const now = performance.now();
    const isRecent = (at: number): boolean => now - at < QUIET_MS;
    const isLayoutQuiet = look.isAnimated || !isRecent(this.layoutChangedAt);
    this.restlessSince = isLayoutQuiet ? Infinity : Math.min(this.restlessSince, now);
    return (
      this.isNone({
        changes: (look.quietMs ?? Infinity) < QUIET_MS,
        requests: isRecent(this.visit.openRequests?.changedAt ?? -Infinity),
        layout: !isLayoutQuiet && now - this.restlessSince <= RESTLESS_MS,
        arrivals: this.isArriving(look),
      }) && !isRecent(this.startedAt)
    );
  }

  /** Whether another part is due on a page whose parts come one after the other, by a script and not by a request. */
  private isArriving({ arrivals }: Look): boolean {
    const now = performance.now();
    const times = arrivals.map((ago) => now - ago).filter((at) => !this.visit.openRequests?.explain(at));
    const [first = -Infinity] = times;
    // The first part is a rhythm only where one was waited for.
    const beats = this.awaited.has('gap') ? [this.startedAt, ...times] : times;
    const gaps = beats.slice(1).map((at, index) => at - (beats[index] ?? at));
    const gapMs = Math.max(...gaps.slice(-3));
    const isRhythm = gapMs > 0 && gapMs <= MAX_BEAT_MS && now - first < ARRIVALS_MS;
    return isRhythm && now - (beats.at(-1) ?? 0) < gapMs * 1.5 + 50;
  }

  /** Notes what is true as awaited; returns whether nothing is. */
  private isNone(reasons: Readonly<Partial<Record<AwaitedKind, boolean>>>): boolean {
    const kinds = Object.keys(reasons) as AwaitedKind[];
    const found = kinds.filter((kind) => reasons[kind]);
    for (const kind of found) this.awaited.add(kind);
    return found.length === 0;
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

/** What a look depends on at this moment. */
function lookNow(visit: Visit): LookAt {
  return { isStreaming: isStreaming(visit), timeType: visit.animations?.type ?? null };
}

function isStreaming({ openRequests }: Visit): boolean {
  return openRequests?.streams.areAwaited() ?? false;
}

/** What the work results in; undefined for a page that is too busy, or navigates, until the time is over. */
async function unlessBusy<T>(until: number, work: Promise<T>): Promise<T | undefined> {
  try {
    return await withDeadline({ until, message: 'The page is busy.' }, work);
  } catch (error) {
    if (error instanceof WaitTimeoutError || error instanceof PageScriptError) return undefined;
    throw error;
  }
}

/** The document has the probe since its start; one that has not is sent it. */
async function lookAt(visit: Visit, by: LookAt): Promise<Look> {
  return (await inPage(visit, lookIfProbed, by)) ?? inPage(visit, { run: look, uses: USES }, by);
}

/** Runs in the page. */
function lookIfProbed(by: LookAt): Look | null {
  const key = Symbol.for('page probe');
  const world = globalThis as typeof globalThis & { [key]?: PageProbe };
  return world[key]?.look(by) ?? null;
}

/**
 * Runs in the page. Chromium does not draw an HTML document before the parser has reached its body. When the page stops the
 * parser earlier, a screenshot would never return. Parsing a body outside the page ends that wait.
 */
function arrive(by: LookAt, safe: SafeAccess): Look | null {
  const page = safe(document);
  if (page.contentType === 'text/html') page.createElement('html').innerHTML = '<body></body>';
  return lookIfProbed(by);
}

const USES = [
  ...[WindowReader, MotionReader, SkeletonProbe, PlaceholderProbe, GapProbe, ContentProbe],
  ...[giveOrder, shortAnimations, motionOf, ChangeProbe, PageProbe, probeOf],
];

/** Runs in the page. All looks at one document use the same probe. */
function probeOf(safe: SafeAccess): PageProbe {
  // Under a symbol: the name of an element could shadow a string.
  const key = Symbol.for('page probe');
  const world = globalThis as typeof globalThis & { [key]?: PageProbe };
  if (world[key]) return world[key];
  const reader = new WindowReader(safe);
  const motions = new MotionReader(reader);
  const placeholders = new PlaceholderProbe(reader, motions, new SkeletonProbe(reader, motions));
  const content = new ContentProbe({ reader, motions, placeholders, gaps: new GapProbe(reader) });
  return (world[key] = new PageProbe({ safe, reader, content, changes: new ChangeProbe(reader) }));
}

/** Runs in the page. */
function watch(_: null, safe: SafeAccess): void {
  probeOf(safe);
}

/** Runs in the page. */
function look(by: LookAt, safe: SafeAccess): Look {
  return probeOf(safe).look(by);
}
