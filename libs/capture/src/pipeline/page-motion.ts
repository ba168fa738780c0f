import type { InPageWith, SafeAccess } from './in-page.js';
import type { Motion } from './page-look.js';

/** Entrances and transitions end within this time; what moves for longer is part of how the page looks. */
export const MOTION_MS = 2_000;

/** What the capture sends to a document as an event. The document answers by preventing the default or not. */
export type TimeOrder =
  /** Whether a script is drawing: a frame is requested, or an interval is as short as one. */
  | readonly [what: 'moving']
  /** Whether the page has got fewer frames than on a fast machine. */
  | readonly [what: 'coarse']
  /** Whether a timer that does not repeat is due within so many ms. */
  | readonly [what: 'due', ms: number]
  /** Lets so much time pass. The event `doneEventOf` says when it has. */
  | readonly [what: 'pass', ms: number]
  /** From here on time passes as real time does. */
  | readonly [what: 'resume']
  /** Calls back neither frames nor timers. */
  | readonly [what: 'hold']
  | readonly [what: 'release'];

/** The name of the event by which a document says that the time has passed. */
export function doneEventOf(type: string): string {
  return `${type} done`;
}

export interface MotionQuestion {
  /** Only animations that end within this time count, so not those that are endless, paused or driven by the scroll position. */
  readonly withinMs: number;
  /** The name of the events with orders to the time of the page, where it has one. */
  readonly type: string | null;
}

/** Runs in the page. */
export function giveOrder(type: string | null, ...detail: TimeOrder): boolean {
  return type !== null && !performance.dispatchEvent(new CustomEvent(type, { detail, cancelable: true }));
}

/** Runs in the page. The animations that end within so many ms, with the time until they do. */
export function shortAnimations(withinMs: number, safe: SafeAccess): [Animation, number][] {
  const found: [Animation, number][] = [];
  for (const animation of safe(document).getAnimations()) {
    const { playState, timeline, playbackRate: rate, currentTime, effect } = animation;
    if (playState !== 'running' || !(timeline instanceof DocumentTimeline)) continue;
    const at = Number(currentTime);
    const left = (rate > 0 ? Number(effect?.getComputedTiming().endTime) - at : at) / Math.abs(rate);
    if (left > 0 && left <= withinMs) found.push([animation, left]);
  }
  return found;
}

/** Runs in the page. */
export function motionOf({ withinMs, type }: MotionQuestion, safe: SafeAccess): Motion {
  const isLarge = (element: Element): boolean => {
    const { top, left, bottom, right } = safe(element).getBoundingClientRect();
    const width = Math.min(right, window.innerWidth) - Math.max(left, 0);
    // A smaller one is an icon.
    return width >= 100 && Math.min(bottom, window.innerHeight) - Math.max(top, 0) >= 50;
  };
  const page = safe(document);
  return {
    isMoving: giveOrder(type, 'moving'),
    leftMs: shortAnimations(withinMs, safe).reduce((longest, [, left]) => Math.max(longest, left), 0),
    hasDrawings: [...page.querySelectorAll('canvas, svg')].some(isLarge),
    hasFrames: [...page.querySelectorAll('iframe, frame, object, embed')].some(isLarge),
  };
}

/** Asks a document what moves in it. */
export const MOTION: InPageWith<MotionQuestion, Motion> = {
  run: motionOf,
  uses: [giveOrder, shortAnimations],
};
