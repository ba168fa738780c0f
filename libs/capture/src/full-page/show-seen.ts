import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { measurePage } from '../pipeline/capture-area.js';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { OwnRules } from './own-rules.js';
import { onUndo } from './page-undo.js';
import { settlePage } from '../pipeline/settle-page.js';
import { drawFrames } from '../pipeline/wait.js';
import { freezeAgain, growWindow, shrinkWindow } from './grown-window.js';
import { PageBoxes } from './page-boxes.js';
import type { Unseen } from './seen-looks.js';
import { findUnrevealed, type Unrevealed } from './unrevealed-parts.js';
import type { LooksWorld } from './walk-page.js';

/** Entrances by script take about a second. */
const STILL_MS = 1_500;
/** Interval of looks at what is moving. */
const LOOK_MS = 100;
/** So many looks in a row find nothing moving. */
const STILL_LOOKS = 3;
/** More hidden elements than these are not visited one by one, before it has been tried to show them all at once. */
const MAX_HIDDEN = 3;
/** Maximum time for visiting places one by one; each takes up to `STILL_MS`. */
const VISITS_MS = 12_000;
const MAX_RULES = 3_000;
/** Frames of other processes are drawn when they have been in the window for a few frames. */
const FRAMES_MS = 500;

/**
 * Makes a page that has been walked through show what it showed in the window, all at once: what the page hid again is held as it
 * looked. For what cannot be held, because it has been removed or another process draws it, the window is grown to the height of the page.
 * What cannot be shown all at once is left to pictures of the window (`visit.needsStitching`).
 *
 * @param maxHeight of the picture in CSS px
 * @returns the number of parts of the page that are not shown: they were in the window, or leave a blank stretch
 */
export async function showSeen(visit: Visit, maxHeight: number): Promise<number> {
  let unseen = await hold(visit, { maxHeight });
  visit.needsStitching = unseen.hasStage;
  if (unseen.hasStage) return 0;
  const hasFrames = unseen.frames.some((url) => visit.frameLoads.stateOf(url) !== 'failed');
  const staysGrown = unseen.gone > 0 || hasFrames;
  const isReactive = unseen.gone > 0 || unseen.unrevealed > 0 || unseen.hidden.length > MAX_HIDDEN;
  if (hasFrames || isReactive) {
    await growWhole(visit, maxHeight, isReactive ? STILL_LOOKS : 1);
    await inPage(visit, lookAgain, true);
    if (!staysGrown) await shrinkWindow(visit);
    unseen = await hold(visit, { maxHeight });
  }
  if (unseen.hidden.length > 0) {
    await visitAgain(visit, unseen.hidden);
    unseen = await hold(visit, { maxHeight, isLast: true });
  }
  visit.needsStitching = unseen.gone > 0;
  if (visit.needsStitching) await shrinkWindow(visit);
  return unseen.hidden.length + unseen.blank;
}

/**
 * Grows the window to the height of the page, and waits until the page has settled in it.
 *
 * @param looks number of looks in a row that find nothing moving
 */
export async function growWhole(visit: Visit, maxHeight: number, looks = STILL_LOOKS): Promise<void> {
  const { height, zoom } = await measurePage(visit);
  await growWindow(visit, Math.min(height, maxHeight) * zoom);
  await settlePage(visit, true);
  await waitUntilStill(visit, looks);
  if (await freezeAgain(visit)) await waitUntilStill(visit, looks);
}

interface Missing extends Unseen, Unrevealed {
  /** URLs of frames below the window that other processes draw only when they are in it. */
  readonly frames: readonly string[];
}

interface Extent {
  /** How much of the page is captured, in CSS px. */
  readonly maxHeight: number;
  readonly isLast?: boolean;
}

function hold(visit: Visit, { maxHeight, isLast = false }: Extent): Promise<Missing> {
  const mark = `data-${randomUUID()}`;
  return inPage(
    visit,
    { run: holdSeen, uses: [OwnRules, onUndo, PageBoxes, findUnrevealed] },
    { mark, maxRules: MAX_RULES, windowHeight: visit.viewport.height, maxHeight, isLast },
  );
}

/**
 * Waits, for a bounded time, until no script moves what is in the window. Short animations are brought to their end.
 *
 * @param looks number of looks in a row that find nothing moving
 */
export async function waitUntilStill(visit: Visit, looks = STILL_LOOKS): Promise<void> {
  const until = performance.now() + Math.min(STILL_MS, visit.remainingMs() / 4);
  await drawFrames(visit, Math.min(until, performance.now() + FRAMES_MS));
  for (let still = 0; still < looks && performance.now() < until;) {
    await delay(LOOK_MS, undefined, { signal: visit.signal });
    still = (await inPage(visit, isMoving, null)) ? 0 : still + 1;
  }
}

/** Scrolls to each of these places, and waits there until nothing moves; then back to the top. */
async function visitAgain(visit: Visit, places: readonly number[]): Promise<void> {
  const until = performance.now() + Math.min(VISITS_MS, visit.remainingMs() / 4);
  const { height } = visit.viewport;
  const stops = places
    .toSorted((a, b) => a - b)
    .filter((y, i, all) => i === 0 || y - (all[i - 1] ?? 0) > height / 4);
  for (const y of stops) {
    if (performance.now() > until) break;
    await inPage(visit, scrollTo, y - height / 2);
    await waitUntilStill(visit);
    await inPage(visit, lookAgain, false);
  }
  await inPage(visit, scrollTo, 0);
  await drawFrames(visit, performance.now() + FRAMES_MS);
}

/** Runs in the page. */
function scrollTo(top: number): void {
  window.scrollTo({ top, behavior: 'instant' });
}

/** Runs in the page. */
function isMoving(): boolean {
  const looks = (globalThis as unknown as LooksWorld)[Symbol.for('seen looks')];
  looks?.endEntrances();
  return looks?.isMoving() === true;
}

/** Runs in the page. */
function lookAgain(isGrown: boolean): void {
  (globalThis as unknown as LooksWorld)[Symbol.for('seen looks')]?.look(isGrown);
}

interface Holding extends Required<Extent> {
  readonly mark: string;
  readonly maxRules: number;
  readonly windowHeight: number;
}

/** Runs in the page. */
function holdSeen({ mark, maxRules, windowHeight, maxHeight, isLast }: Holding, safe: SafeAccess): Missing {
  const looks = (globalThis as unknown as LooksWorld)[Symbol.for('seen looks')];
  const rules = new OwnRules(mark, maxRules, safe);
  const unseen = looks?.hold(rules, isLast) ?? { gone: 0, hidden: [], hasStage: false };
  const isSeen = (element: Element): boolean => looks?.has(element) === true;
  const unrevealed = findUnrevealed(new PageBoxes(), { windowHeight, maxHeight }, isSeen);
  onUndo(() => {
    rules.remove(() => undefined);
    return false;
  });
  const isFar = (frame: HTMLIFrameElement): boolean => {
    const { top, width, height } = safe(frame).getBoundingClientRect();
    const isBelow = top + height > window.innerHeight && top + window.scrollY < maxHeight;
    return isBelow && width * height >= 2_500 && safe(frame).checkVisibility();
  };
  const frames = [...safe(document).querySelectorAll('iframe')].slice(0, 500);
  // A frame of the same process is drawn wherever it is, and its document can be read.
  const far = frames.filter((frame) => safe(frame).contentDocument === null && isFar(frame));
  return { ...unseen, ...unrevealed, frames: far.slice(0, 100).map(({ src }) => src.slice(0, 8_192)) };
}
