import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';
import { threadStates } from './thread-states.js';

/** A process that draws the first frame of a new page rests within a few looks; with busy cores it takes longer. */
const LOOK_MS = 10;
const MAX_LOOKS = 10;

/**
 * The GPU process of a browser, which draws all pages of it, also WebGL, by the CPU. A page can leave work in it, such as an
 * endless shader, so that no later page is drawn. Chromium starts another one when it crashes, but then refuses WebGL to
 * the sites that were open, also in later captures.
 */
export class GpuProcess {
  private pid?: number;

  /** @param session of the browser itself, not of a page */
  constructor(private readonly session: CDPSession) {}

  /** Rejects when the process is not the one of the first check. */
  async check(): Promise<void> {
    const pid = await pidOf(this.session, 'GPU');
    if (pid === undefined) return;
    this.pid ??= pid;
    if (pid !== this.pid) throw new Error('The GPU process of the browser was restarted.');
  }

  /**
   * Whether the process of the first check comes to rest soon, and so has no work left of an earlier page. False where that cannot
   * be seen: on other systems than Linux, and for a process that is gone. Reading its threads takes 0.5 ms, drawing a page 30.
   */
  async comesToRest(): Promise<boolean> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const states = this.pid === undefined ? [] : threadStates(this.pid);
      if (states.length === 0) return false;
      if (states.every((state) => state === 'S')) return true;
      await delay(LOOK_MS);
    }
    return false;
  }
}

/** The id of a process of the browser, of which there is one of this type. */
export async function pidOf(session: CDPSession, wanted: 'browser' | 'GPU'): Promise<number | undefined> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.find(({ type }) => type === wanted)?.id;
}
