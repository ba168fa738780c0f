import { AppError } from '@app/kernel';
import { threadStates } from './thread-states.js';
import type { Watch } from './watchdog.js';

const TICK_MS = 1_000;
/** After this silence the browser is asked for a sign of life. A capture that goes on never causes the question. */
const ASK_AFTER_TICKS = 2;
/** After this silence it counts as mute: stopped, or hanging. */
const MUTE_AFTER_TICKS = 5;
/** One that waits for a core has longer: with 14 busy processes for each core its answers took up to 2.7 s. */
const STARVED_AFTER_TICKS = 15;

/** What is known of the messages of a browser. */
export interface Answering {
  /** Time of its last message, by `performance.now()`. */
  readonly lastMessageAt: () => number;
  /** Asks the browser process itself, which answers while its pages are busy. Never rejects. */
  readonly ask: () => Promise<unknown>;
  /** Whether the browser process has something to do, and may only wait for a core. */
  readonly isRunnable: () => boolean;
}

/**
 * Watches whether a browser says anything during a capture. `excess` resolves with `browser_crashed` when it is mute; without
 * this the capture would wait for its own timeout.
 *
 * Silence is counted in ticks: while this process is blocked or stopped, messages wait in the pipe, and there is one tick at most.
 */
export function watchAnswers({ lastMessageAt, ask, isRunnable }: Answering): Watch {
  const { promise: excess, resolve } = Promise.withResolvers<AppError>();
  let heardAt = lastMessageAt();
  let silentTicks = 0;
  const ticks = setInterval(() => {
    const isSilent = lastMessageAt() === heardAt;
    heardAt = lastMessageAt();
    silentTicks = isSilent ? silentTicks + 1 : 0;
    if (silentTicks === ASK_AFTER_TICKS) void ask();
    if (silentTicks < MUTE_AFTER_TICKS || (silentTicks < STARVED_AFTER_TICKS && isRunnable())) return;
    clearInterval(ticks);
    const detail = `The browser did not answer for ${(silentTicks * TICK_MS) / 1_000} seconds.`;
    resolve(new AppError('browser_crashed', { detail }));
  }, TICK_MS);
  return { excess, end: () => clearInterval(ticks) };
}

/** Whether a thread of this process runs, waits for a core or for a disk. False on other systems than Linux. */
export function isRunnable(pid: number): boolean {
  return threadStates(pid).some((state) => state === 'R' || state === 'D');
}
