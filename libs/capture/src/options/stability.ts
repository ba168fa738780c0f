import type { CDPSession, Page } from 'puppeteer';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { Flag } from '../pipeline/option-fields.js';
import { EveryFrame } from '../pipeline/every-frame.js';
import { frameIdOf } from '../pipeline/frame-sessions.js';
import { holdStill } from '../stability/hold-still.js';
import { VirtualClock } from '../stability/virtual-clock.js';
import type { EmulationOptions } from './emulation.js';

export class StabilityOptions {
  @Flag(
    'Makes the same page give the same bytes: time, randomness and animations are frozen, the caret is hidden and media are paused. The clock of the page starts at 2026-06-15T12:00:00Z and stops after 5 s, or later when the capture waits for longer. The file is made again until two in a row are equal, at most 6 times and within `ready_timeout_ms`. The record says whether two were equal, and in which areas pictures differed. Animated images and workers are not frozen.',
    { exposure: 'public' },
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

const pages = new WeakMap<Page, Held>();

async function prepare(visit: Visit, options: StabilityAndEmulation): Promise<void> {
  if (!options.stable) return;
  const frames = await EveryFrame.open(visit);
  const clock = options.javascript ? { clock: await VirtualClock.start(visit, frames) } : {};
  pages.set(visit.page, { frames, ...clock });
}

async function settle(visit: Visit): Promise<void> {
  const held = pages.get(visit.page);
  if (!held) return;
  letScriptsRunAfterNavigation(visit, held.frames);
  await hold(visit);
}

/** Brings the page to a standstill, when `stable` is on. */
async function hold(visit: Visit): Promise<void> {
  const held = pages.get(visit.page);
  if (!held) return;
  const { frames, clock } = held;
  const within = (ms: number): number => performance.now() + Math.min(ms, visit.remainingMs() / 4);
  await clock?.stop(within(STOP_MS));
  await holdStill(frames, within(HOLD_MS));
}

/** Lets the scripts and animations of a page go on that `hold` has stopped, so that it can take another window. */
async function release(visit: Visit): Promise<void> {
  const held = pages.get(visit.page);
  // Without a clock, the caller has turned the scripts of the page off.
  if (held?.clock) await held.frames.send((session) => runAgain(session));
}

function runAgain(session: CDPSession): Promise<unknown> {
  return Promise.all([
    session.send('Emulation.setScriptExecutionDisabled', { value: false }),
    session.send('Animation.setPlaybackRate', { playbackRate: 1 }),
  ]);
}

/** What the page navigates to while it is captured is captured with its scripts. */
function letScriptsRunAfterNavigation({ cdp, mainFrame }: Visit, frames: EveryFrame): void {
  cdp.on('Page.frameStartedNavigating', ({ frameId, navigationType }) => {
    if (frameId !== frameIdOf(mainFrame) || navigationType !== 'differentDocument') return;
    void frames.send((session) => runAgain(session));
  });
}

export const stability = defineFamily<StabilityOptions, StabilityAndEmulation>(
  { name: 'stability', doc: 'Pictures that are the same every time.' },
  StabilityOptions,
  { prepare, settle, release, settleAgain: hold },
);
