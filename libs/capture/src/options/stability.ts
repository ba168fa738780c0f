import type { Frame } from 'puppeteer';
import { Flag } from '@app/kernel';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { EveryFrame } from '../pipeline/every-frame.js';
import { holdStill } from '../stability/hold-still.js';
import { VirtualClock } from '../stability/virtual-clock.js';
import type { EmulationOptions } from './emulation.js';

export class StabilityOptions {
  @Flag(
    'Makes the same page give the same bytes: time, randomness and animations are frozen, the caret is hidden and media are paused. The clock of the page starts at 2026-06-15T12:00:00Z and stops after 5 s, or later when the capture waits for longer. Files are made until two agree, at most 6 and within `ready_timeout_ms`; the record says whether they did, and where pictures did not. Animated images and workers are not frozen.',
  )
  stable = false;
}

type StabilityAndEmulation = StabilityOptions & Pick<EmulationOptions, 'javascript'>;

/** Bounds of the work before the picture. */
const STOP_MS = 4_000;
const HOLD_MS = 1_500;

interface Held {
  readonly frames: EveryFrame;
  readonly clock?: VirtualClock;
}

const visits = new WeakMap<Visit, Held>();

async function prepare(visit: Visit, options: StabilityAndEmulation): Promise<void> {
  if (!options.stable) return;
  const frames = await EveryFrame.of(visit);
  const clock = options.javascript ? { clock: await VirtualClock.start(visit, frames) } : {};
  visits.set(visit, { frames, ...clock });
}

async function settle(visit: Visit): Promise<void> {
  const held = visits.get(visit);
  if (!held) return;
  const { frames, clock } = held;
  const within = (ms: number): number => performance.now() + Math.min(ms, visit.remainingMs() / 4);
  await clock?.stop(within(STOP_MS));
  letScriptsRunAfterNavigation(visit, frames);
  await holdStill(frames, within(HOLD_MS));
}

/** What the page navigates to while it is captured is captured with its scripts. */
function letScriptsRunAfterNavigation({ cdp, page }: Visit, frames: EveryFrame): void {
  const { _id: mainFrame } = page.mainFrame() as Frame & { readonly _id: string };
  cdp.on('Page.frameStartedNavigating', ({ frameId, navigationType }) => {
    if (frameId !== mainFrame || navigationType !== 'differentDocument') return;
    void frames.send((session) => session.send('Emulation.setScriptExecutionDisabled', { value: false }));
    void frames.send((session) => session.send('Animation.setPlaybackRate', { playbackRate: 1 }));
  });
}

export const stability = defineFamily<StabilityOptions, StabilityAndEmulation>(
  { name: 'stability', doc: 'Pictures that are the same every time.' },
  StabilityOptions,
  { prepare, settle },
);
