import {
  createReplace,
  openShadows,
  seededRandom,
  virtualDates,
  virtualFormats,
  virtualFrames,
  virtualTemporal,
  virtualTimers,
} from './virtual-globals.js';
import { TimerQueue, VirtualTime } from './virtual-time.js';

/**
 * The instant at which the time of each document begins: a Monday at noon in UTC, so that it is the same date in nearly all time
 * zones, and no holiday with a decoration of its own.
 */
export const EPOCH_MS = Date.UTC(2026, 5, 15, 12);
/** A page that reads the time more often without a pause waits in a loop. */
const BUSY_READS = 20_000;

/** What the capture sends to a document as an event. The document answers by preventing the default or not. */
export type ClockOrder =
  /** Whether it has virtual time. */
  | readonly [what: 'hello']
  /** Whether a timer is due up to `to`. */
  | readonly [what: 'ask', to: number]
  /** Lets so much time pass. */
  | readonly [what: 'pass', ms: number]
  /** Lets time pass up to `to`; whether it has arrived. */
  | readonly [what: 'reach', to: number];

/**
 * Runs in the page. Orders come as events on `performance`: listeners of the document and the window are lost when a script
 * calls `document.open`, and a page sees no event whose name it cannot guess.
 */
function followOrders(time: VirtualTime, type: string): void {
  const { apply, getOwnPropertyDescriptor } = Reflect;
  const methodOf = (owner: object, name: string, kind: 'get' | 'value') =>
    getOwnPropertyDescriptor(owner, name)?.[kind] as () => unknown;
  const detail = methodOf(CustomEvent.prototype, 'detail', 'get');
  const prevent = methodOf(Event.prototype, 'preventDefault', 'value');
  const follow = (order: ClockOrder): boolean => {
    if (order[0] === 'pass') time.pass(order[1]);
    if (order[0] === 'reach') return time.reach(order[1]);
    return order[0] === 'ask' ? time.hasWork(order[1]) : true;
  };
  performance.addEventListener(type, (event) => {
    if (follow(apply(detail, event, []) as ClockOrder)) apply(prevent, event, []);
  });
}

/** Runs in the page. The address of the document, and where its frame is in the page. */
function placeOf(): string {
  let place = location.href;
  try {
    for (let frame: Window = window, depth = 0; frame !== frame.parent && depth < 20; depth += 1) {
      const { parent } = frame;
      let i = 0;
      while (i < parent.length && parent[i] !== frame) i += 1;
      place += ` ${i}`;
      frame = parent;
    }
  } catch {
    // A parent that redefines its own properties changes no more than the seed.
  }
  return place;
}

/** The script that runs in every document before its own ones. `type` is the name of the events with orders. */
export function documentScript(type: string): string {
  return `(() => {
    'use strict';
    const replace = (${String(createReplace)})();
    const time = new (${String(VirtualTime)})(new (${String(TimerQueue)})(), ${BUSY_READS});
    (${String(followOrders)})(time, ${JSON.stringify(type)});
    (${String(virtualDates)})(time, replace, ${EPOCH_MS});
    (${String(virtualFormats)})(time, replace, ${EPOCH_MS});
    (${String(virtualTemporal)})(time, replace, ${EPOCH_MS});
    (${String(virtualTimers)})(time, replace);
    (${String(virtualFrames)})(time, replace);
    (${String(seededRandom)})(replace, (${String(placeOf)})());
    (${String(openShadows)})(replace);
  })()`;
}
