import type { InPageWith, SafeAccess } from '../pipeline/in-page.js';
import { giveOrder, shortAnimations } from '../pipeline/page-motion.js';

export interface TimeToPass {
  readonly type: string;
  /** So much time passes at most, and less when nothing moves any more. */
  readonly ms: number;
  /** Animations that take longer are part of how the page looks. */
  readonly withinMs: number;
  /** The time of the scripts and that of the animations are at most so far apart. */
  readonly stepMs: number;
  /** A script may go on after a timer of so many ms. */
  readonly pauseMs: number;
  /** The name of the event that says that the scripts have run. */
  readonly done: string;
}

/** What has happened while time passed. */
export interface Passed {
  readonly isMoving: boolean;
  /** Time since the document has changed. */
  readonly quietMs: number;
  readonly isCoarse: boolean;
}

/** Runs in the page. */
export async function passTime(passing: TimeToPass, safe: SafeAccess): Promise<Passed> {
  const { type, ms, stepMs } = passing;
  const moves = (): boolean =>
    giveOrder(type, 'moving') ||
    giveOrder(type, 'due', passing.pauseMs) ||
    shortAnimations(passing.withinMs, safe).length > 0;
  let passedMs = 0;
  let changedAt = -Infinity;
  const observer = new MutationObserver(() => (changedAt = passedMs));
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, all);
  let isMoving = true;
  for (; isMoving && passedMs < ms; passedMs += stepMs) {
    const done = new Promise((resolve) => {
      performance.addEventListener(passing.done, resolve, { once: true });
    });
    const hasScript = giveOrder(type, 'pass', stepMs);
    if (hasScript) await done;
    // Its end is reported with the next frame, which does not come without scripts.
    if (advanceAnimations(passing, safe) && hasScript) await nextFrame();
    isMoving = moves();
    // The observers of a page are notified with the next frame.
    if (!isMoving && hasScript) isMoving = (await nextFrame(), moves());
  }
  observer.disconnect();
  return { isMoving, quietMs: passedMs - Math.max(changedAt, 0), isCoarse: giveOrder(type, 'coarse') };
}

/** Runs in the page. Returns whether an animation has ended. */
export function advanceAnimations({ stepMs, withinMs }: TimeToPass, safe: SafeAccess): boolean {
  let hasEnded = false;
  for (const [animation, left] of shortAnimations(withinMs, safe)) {
    if (left <= stepMs) animation.finish();
    else animation.currentTime = Number(animation.currentTime) + stepMs * animation.playbackRate;
    hasEnded ||= left <= stepMs;
  }
  return hasEnded;
}

/** Runs in the page. A page that is not drawn has no frames. What is left over would count as a script that draws. */
export async function nextFrame(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const frame = requestAnimationFrame(resolve);
  const timer = setTimeout(resolve, 100);
  await promise;
  cancelAnimationFrame(frame);
  clearTimeout(timer);
}

/** Lets the time of a document pass. */
export const PASS: InPageWith<TimeToPass, Passed> = {
  run: passTime,
  uses: [giveOrder, shortAnimations, advanceAnimations, nextFrame],
};
