import { declarationOf } from '../pipeline/in-page.js';
import { doneEventOf, type TimeOrder } from '../pipeline/page-motion.js';
import { createReplace } from './virtual-globals.js';
import { keepTexts, replaceClocks, replaceFrames, replaceOtherTimes, replaceTimers } from './page-globals.js';
import { PageRush } from './page-rush.js';
import { PageClock, PageFrames, PageTimers, Waiting } from './page-time.js';

/** One frame of a page on a fast machine, and of one whose frames take longer than `maxCostMs`. */
const STEPS = { ms: 1_000 / 60, longMs: 50, maxCostMs: 3 };

interface PageTimeParts {
  readonly frames: PageFrames;
  readonly timers: PageTimers;
  readonly rush: PageRush;
  readonly onFirstPass: () => void;
}

/**
 * Runs in the page. Orders come as events on `performance`: listeners of the document and the window are lost when a script
 * calls `document.open`, and a page sees no event whose name it cannot guess.
 */
function followOrders(
  { frames, timers, rush, onFirstPass }: PageTimeParts,
  type: string,
  done: string,
): void {
  const { apply, getOwnPropertyDescriptor } = Reflect;
  const methodOf = (owner: object, name: string, kind: 'get' | 'value') =>
    getOwnPropertyDescriptor(owner, name)?.[kind] as () => unknown;
  const detail = methodOf(CustomEvent.prototype, 'detail', 'get');
  const prevent = methodOf(Event.prototype, 'preventDefault', 'value');
  const dispatch = performance.dispatchEvent.bind(performance);
  const PlainEvent = Event;
  let hasPassed = false;
  const pass = (ms: number): void => {
    if (!hasPassed) onFirstPass();
    hasPassed = true;
    rush.pass(ms, () => dispatch(new PlainEvent(done)));
  };
  const follow = ([what, ms = 0]: readonly [TimeOrder[0], number?]): boolean => {
    if (what === 'moving') return frames.waiting.count() > 0 || timers.areFrames();
    if (what === 'due') return timers.isDue(ms);
    if (what === 'coarse') return rush.isCoarse;
    if (what === 'pass') pass(ms);
    if (what === 'resume') timers.arm();
    if (what === 'hold') frames.isHeld = timers.isHeld = true;
    if (what === 'release') frames.release();
    if (what === 'release') timers.arm();
    return true;
  };
  performance.addEventListener(type, (event) => {
    if (follow(apply(detail, event, []) as TimeOrder)) apply(prevent, event, []);
  });
}

/** Every document compiles the script. */
const LINES_TO_LEAVE_OUT = /^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)?\s*\n/gm;
const TYPE = '"event type"';
const DONE = '"event type of the answer"';

/** The script that runs in every document before its own ones. `type` is the name of the events with orders. */
export function pageTimeScript(type: string): string {
  return SCRIPT.replace(TYPE, JSON.stringify(type)).replace(DONE, JSON.stringify(doneEventOf(type)));
}

const SCRIPT = `(() => {
    'use strict';
    const replace = (${String(createReplace)})();
    ${declarationOf(Waiting)}
    const clock = new (${String(PageClock)})();
    const frames = new (${String(PageFrames)})(clock);
    const timers = new (${String(PageTimers)})(clock);
    const rush = new (${String(PageRush)})(clock, { frames, timers }, ${JSON.stringify(STEPS)});
    const onFirstPass = () => (${String(replaceOtherTimes)})(clock, replace);
    (${String(followOrders)})({ frames, timers, rush, onFirstPass }, ${TYPE}, ${DONE});
    (${String(replaceClocks)})(clock, replace);
    (${String(replaceFrames)})(frames, replace);
    (${String(replaceTimers)})(timers, rush, replace);
    (${String(keepTexts)})(replace);
  })()`.replaceAll(LINES_TO_LEAVE_OUT, '');
