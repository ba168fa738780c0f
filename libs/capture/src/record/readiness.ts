import { every, integer, refOrNull, string } from '@app/kernel';
import { defineFact } from './fact.js';

/** What `wait_until: auto` may wait for, with its meaning. */
export const AWAITED = {
  load: 'the load, which hangs',
  action: 'a reaction to `js`, a click or another window',
  requests: 'requests of the page',
  fonts: 'fonts',
  images: 'images of the window',
  content: 'the window shows nothing, or only that it is loading',
  placeholders: 'skeletons, spinners and texts such as `Loading…` beside the content',
  socket: 'the first message of a WebSocket or an EventSource, while the window has an empty place for it',
  gap: 'an empty place in a window that shows little, while scripts have timers',
  text: 'a text that grows a few letters at a time',
  arrivals: 'the next of several parts that a script adds one after the other',
  changes: 'changes of the content',
  layout: 'changes of the layout',
} as const;

export type AwaitedKind = keyof typeof AWAITED;

/** Why `wait_until: auto` considered the page ready. */
export interface ReadinessReport {
  readonly by: 'quiet' | 'timeout';
  /** Time in ms that was waited beyond the load, and after actions. */
  readonly waited_ms: number;
  /** What kept the page waiting, each once, in the order in which it was first seen; empty for a page that was ready at its load. */
  readonly waited_for: readonly AwaitedKind[];
  /** Requests that were still pending, at most 20. */
  readonly pending: readonly { readonly host: string; readonly type: string }[];
  readonly fonts: 'loaded' | 'pending';
  /** Images of the window. */
  readonly images: { readonly total: number; readonly pending: number; readonly broken: number };
}

/** What two waits for one page took together. */
export function sumOfWaits(
  earlier: ReadinessReport | null,
  later: ReadinessReport,
): Pick<ReadinessReport, 'waited_ms' | 'waited_for'> {
  const { waited_ms = 0, waited_for = [] } = earlier ?? {};
  return {
    waited_ms: waited_ms + later.waited_ms,
    waited_for: [...new Set([...waited_for, ...later.waited_for])],
  };
}

const awaitedKinds = Object.entries(AWAITED)
  .map(([kind, meaning]) => `\`${kind}\`: ${meaning}.`)
  .join(' ');

const READINESS_REPORT = {
  ...every({
    by: {
      type: 'string',
      enum: ['quiet', 'timeout'],
      description: 'Whether the page was ready, or the time of `ready_timeout_ms` or `timeout_ms` was over.',
    },
    waited_ms: { ...integer, description: 'Wait beyond the load in ms, with that after `js` and clicks.' },
    waited_for: {
      type: 'array',
      items: { type: 'string', enum: Object.keys(AWAITED) },
      description: `What kept the page waiting, each once, in the order in which it was first seen; empty for a page that was ready at its load. ${awaitedKinds}`,
    },
    pending: {
      type: 'array',
      items: every({ host: string, type: string }),
      description:
        'Requests that were still pending, at most 20. A page can be ready with some: polls, and requests that hang.',
    },
    fonts: { type: 'string', enum: ['loaded', 'pending'] },
    images: {
      ...every({ total: integer, pending: integer, broken: integer }),
      description: 'Images of the window.',
    },
  }),
  description:
    'Why the page was captured at its moment; null unless `wait_until` is `auto` and the page has loaded.',
};

export const READINESS_FACTS = {
  /** Null unless `wait_until` is `auto` and the page has loaded. */
  readiness: defineFact({
    empty: (): ReadinessReport | null => null,
    column: 'json',
    isErased: true,
    whenFailed: true,
    schema: refOrNull('ReadinessReport'),
    components: { ReadinessReport: READINESS_REPORT },
    example: {
      by: 'quiet',
      waited_ms: 6,
      waited_for: [],
      pending: [],
      fonts: 'loaded',
      images: { total: 3, pending: 0, broken: 0 },
    },
  }),
};
