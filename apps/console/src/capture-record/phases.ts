import type { Timings } from '@capture-service/client';

interface Phase {
  readonly field: Exclude<keyof Timings, 'total_ms'>;
  readonly label: string;
  readonly help: string;
}

/** The phases of a capture in their order. */
export const PHASES: readonly Phase[] = [
  { field: 'queue_ms', label: 'Queue', help: 'Wait for a free slot' },
  { field: 'prepare_ms', label: 'Prepare', help: 'A browser window is prepared' },
  { field: 'navigate_ms', label: 'Navigate', help: 'The page loads' },
  { field: 'settle_ms', label: 'Settle', help: 'Waits, clicks and scripts until the page is ready' },
  { field: 'render_ms', label: 'Render', help: 'The files are made' },
  { field: 'store_ms', label: 'Store', help: 'The files are stored' },
];

export interface PhaseBar extends Phase {
  readonly ms: number;
  /** Where the bar begins and how long it is, in percent of the whole. */
  readonly left: number;
  readonly width: number;
}

/** The phases as bars of one scale, each beginning where the previous one ends. */
export function phaseBars(timings: Timings): PhaseBar[] {
  const sum = PHASES.reduce((total, { field }) => total + timings[field], 0);
  const whole = Math.max(timings.total_ms, sum, 1);
  let start = 0;
  return PHASES.map((phase) => {
    const ms = timings[phase.field];
    const bar = { ...phase, ms, left: (start / whole) * 100, width: (ms / whole) * 100 };
    start += ms;
    return bar;
  });
}
