import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { endsInTime, waitForRequests, withDeadline } from '../pipeline/wait.js';
import { LookReader } from './look-reader.js';
import { PageBoxes } from './page-boxes.js';
import { SeenLooks } from './seen-looks.js';
import { Stages } from './stages.js';
import { WatchedChanges } from './watched-changes.js';

/** Maximum time for scrolling through an endless feed. */
const SCROLL_MS = 8_000;
/** Minimum time for a page to react to a scroll step: a little more than `PageActivity` allows, or the step would be polled once more. */
const STEP_MS = 52;
/** Maximum wait of the first step for the frames with which observers are notified; on idle cores they take 32 ms. */
const MAX_FRAMES_WAIT_MS = 500;
/** Time for a page to react to the scroll back: a header may start a transition. */
const FRAME_MS = 20;
/** Maximum wait of the first step for the requests that it caused. */
const MAX_STEP_WAIT_MS = 500;
/** Minimum time for a page that shows and hides things as it is scrolled: scripts listen to scrolling every 100 ms. */
const REACTIVE_STEP_MS = 130;

export interface Walk {
  /** How far to walk, in CSS px. */
  readonly maxHeight: number;
  /** Where the page is scrolled to in the end: its top, or the position where it was. */
  readonly backTo: 'top' | 'start';
  /** Whether to note what comes into sight and how it looks, for `showSeen`. */
  readonly notesLooks: boolean;
}

/**
 * Scrolls down the page by one window at a time, to its end, to `maxHeight` CSS px or until the time is over, so that lazy
 * content is requested; then scrolls back. `settlePage` waits for requests that are still in flight.
 *
 * Each step waits for the frame after which observers are notified, and for the requests that it caused, because the page may
 * grow with the responses. A wait that times out is halved in the following steps: slow or endless requests cost about a second
 * in all and load in parallel, and a page that is not drawn costs another second. At the end of the page it waits for all
 * requests, because they may move the end. Transitions continue out of view and need no wait here.
 *
 * @returns whether the end was reached in time
 */
export async function walkPage(visit: Visit, { maxHeight, backTo, notesLooks }: Walk): Promise<boolean> {
  const until = performance.now() + Math.min(SCROLL_MS, visit.remainingMs() / 3);
  const { activity } = visit;
  const walker = new Walker(visit, notesLooks);
  activity?.act();
  const start = await walker.begin();
  let end = Math.min(start.end, maxHeight);
  let stepWaitMs = MAX_STEP_WAIT_MS;
  let stride = start.window;
  let y = stride;
  while (y < end && performance.now() < until) {
    activity?.actAgain();
    await walker.stepTo(y, until);
    const stepsLeft = Math.ceil((end - y) / start.window) - 1;
    if (stepsLeft === 0) {
      activity?.awaitAll();
      await waitForRequests(visit, until);
    } else {
      const shareMs = (until - performance.now()) / stepsLeft - STEP_MS;
      const bound = performance.now() + Math.min(stepWaitMs, shareMs);
      if (!(await waitForRequests(visit, bound))) stepWaitMs /= 2;
    }
    // Measured again because scrolling may have made the page grow.
    const seen = await walker.look();
    end = Math.min(seen.end, maxHeight);
    if (stride === start.window && looksCloser(seen, (end - y) / start.window, until)) {
      // What was passed too fast is passed again.
      stride = start.window / 2;
      y = Math.max(0, y - start.window);
      walker.stepMs = REACTIVE_STEP_MS;
    }
    y += stride;
  }
  activity?.act(FRAME_MS);
  await walker.end(backTo === 'top' ? 0 : start.at);
  return y >= end;
}

/** Whether the page reacts to scrolling, and there is time to go on, and one window back, in half steps. */
function looksCloser({ isReactive, isMoving }: Position, windowsLeft: number, until: number): boolean {
  // What scripts move frame by frame is not at rest after half a window either.
  if (!isReactive || isMoving) return false;
  return (2 * windowsLeft + 2) * REACTIVE_STEP_MS < until - performance.now();
}

/** What a look at the page finds; lengths in CSS px. */
interface Position {
  readonly at: number;
  readonly end: number;
  readonly window: number;
  readonly isReactive: boolean;
  readonly isMoving: boolean;
}

/** Moves the page and looks at it. */
class Walker {
  private framesWaitMs = MAX_FRAMES_WAIT_MS;
  stepMs = STEP_MS;

  constructor(
    private readonly visit: Visit,
    private readonly notesLooks: boolean,
  ) {}

  begin(): Promise<Position> {
    return inPage(this.visit, { run: begin, uses: [...LOOKS, positionOf] }, this.notesLooks);
  }

  /** Scrolls to `y` and waits until the page has been drawn there; undefined when it was not drawn in time. */
  async stepTo(y: number, until: number): Promise<Position | undefined> {
    const hasFrames = this.visit.page.isJavaScriptEnabled();
    const deadline = { until: Math.min(until, performance.now() + this.framesWaitMs), message: 'no frame' };
    const stepping = inPage(this.visit, { run: step, uses: [positionOf] }, { y, hasFrames });
    let position: Position | undefined;
    const [isDrawn] = await Promise.all([
      endsInTime(withDeadline(deadline, stepping).then((result) => (position = result))),
      delay(this.stepMs, undefined, { signal: this.visit.signal }),
    ]);
    if (!isDrawn) this.framesWaitMs /= 2;
    return position;
  }

  look(): Promise<Position> {
    return inPage(this.visit, { run: look, uses: [positionOf] }, null);
  }

  async end(y: number): Promise<void> {
    await inPage(this.visit, { run: step, uses: [positionOf] }, { y, hasFrames: false });
  }
}

const LOOKS = [SeenLooks, PageBoxes, LookReader, Stages, WatchedChanges];

/** What the isolated world keeps between two calls, under a symbol: an element's name could shadow a string. */
export interface LooksWorld {
  [key: symbol]: SeenLooks | undefined;
}

/** Runs in the page. */
function begin(notesLooks: boolean, safe: SafeAccess): Position {
  const world = globalThis as unknown as LooksWorld;
  const key = Symbol.for('seen looks');
  world[key]?.stop();
  world[key] = undefined;
  if (notesLooks) {
    const boxes = new PageBoxes();
    const parts = {
      boxes,
      reader: new LookReader(),
      stages: new Stages(boxes),
      changes: new WatchedChanges(boxes),
    };
    world[key] = new SeenLooks(parts);
  }
  return positionOf(safe);
}

/** Runs in the page. Scrolls to `y`; with `hasFrames` it waits for two frames, in the first of which observers are notified. */
async function step(
  { y, hasFrames }: { readonly y: number; readonly hasFrames: boolean },
  safe: SafeAccess,
): Promise<Position> {
  window.scrollTo({ top: y, behavior: 'instant' });
  for (let frames = 0; hasFrames && frames < 2; frames += 1)
    await new Promise((drawn) => requestAnimationFrame(drawn));
  return positionOf(safe);
}

/** Runs in the page. */
function look(_: null, safe: SafeAccess): Position {
  (globalThis as unknown as LooksWorld)[Symbol.for('seen looks')]?.look();
  return positionOf(safe);
}

/** Runs in the page. Makes lazy elements load at once, and measures. */
function positionOf(safe: SafeAccess): Position {
  const page = safe(document);
  for (const lazy of page.querySelectorAll<HTMLImageElement | HTMLIFrameElement>('[loading=lazy]')) {
    lazy.loading = 'eager';
  }
  const root = (page.scrollingElement ?? page.documentElement) as Element | null;
  const looks = (globalThis as unknown as LooksWorld)[Symbol.for('seen looks')];
  return {
    at: window.scrollY,
    end: root ? safe(root).scrollHeight : 0,
    window: Math.max(100, window.innerHeight),
    isReactive: looks?.isReactive === true,
    isMoving: looks?.isReactive === true && looks.isMoving(),
  };
}
