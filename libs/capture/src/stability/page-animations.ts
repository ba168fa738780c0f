import { randomUUID } from 'node:crypto';
import type { CDPSession, Frame } from 'puppeteer';
import { withTimeout } from '@app/kernel';
import type { AnimationControl, MotionEnd } from '../pipeline/animation-control.js';
import type { Visit } from '../pipeline/family.js';
import { frameIdOf, processOf } from '../pipeline/frame-sessions.js';
import { inPage, inWorld, openWorld, type InPageWith } from '../pipeline/in-page.js';
import { OpenRequests } from '../pipeline/open-requests.js';
import { doneEventOf, giveOrder, MOTION, MOTION_MS, type TimeOrder } from '../pipeline/page-motion.js';
import { PASS, type Passed } from './pass-time.js';
import { pageTimeScript } from './page-time-script.js';

/** After so much time the capture looks whether the page has requested something. */
const SLICE_MS = 200;
const STEP_MS = 100;
/** A script that has set a timer of this length is about to go on. */
const PAUSE_MS = 250;
/** A page with more frames in its window is hostile; the others move as they do. */
const MAX_FRAMES = 20;
/** A frame that does not answer within this time is left as it is. */
const FRAME_MS = 500;

const ORDER: InPageWith<{ type: string; order: TimeOrder }, boolean> = {
  run: ({ type, order }) => giveOrder(type, ...order),
  uses: [giveOrder],
};

/**
 * What moves in the page of a visit. The time of a page passes as real time does, until nothing but
 * its animations is left. Then it passes as fast as its scripts run, up to the end of what moves.
 */
export class PageAnimations implements AnimationControl {
  /** Pages cannot guess the name of the events. */
  readonly type = randomUUID();
  /** How the time of the page that has been passed ended, when something was moving still. */
  private endless?: MotionEnd & { readonly hasFrames: boolean };

  private constructor(
    private readonly visit: Visit,
    readonly mode: 'finish' | 'freeze',
  ) {}

  /** To be called before the navigation. */
  static async prepare(visit: Visit, mode: 'finish' | 'freeze'): Promise<PageAnimations> {
    const animations = new PageAnimations(visit, mode);
    visit.openRequests ??= new OpenRequests(visit.page);
    visit.page.on('framenavigated', (frame) => {
      if (frame === visit.page.mainFrame()) delete animations.endless;
    });
    // Puppeteer sends it to frames in processes of their own, too, before their scripts run.
    await visit.page.evaluateOnNewDocument(pageTimeScript(animations.type));
    return animations;
  }

  async isFrameMoving(): Promise<boolean> {
    const motions = await this.inFrames(MOTION, { withinMs: MOTION_MS, type: this.type });
    return motions.some(({ isMoving, leftMs }) => isMoving || leftMs > 0);
  }

  async finish(hasFrames: boolean): Promise<MotionEnd> {
    const isKnown = this.endless && (this.endless.hasFrames || !hasFrames);
    if (this.endless && isKnown && !this.visit.activity?.hasActed) return this.endless;
    let [passedMs, quietMs, isCoarse] = [0, 0, false];
    let end: MotionEnd['end'] = 'endless';
    while (end === 'endless' && passedMs < MOTION_MS) {
      if (this.visit.openRequests?.areAwaited()) end = 'loading';
      else {
        passedMs += SLICE_MS;
        const [main, ...others] = await this.pass(hasFrames);
        quietMs = main.quietMs < SLICE_MS ? main.quietMs : quietMs + main.quietMs;
        isCoarse = [main, ...others].some((each) => each.isCoarse);
        if (![main, ...others].some(({ isMoving }) => isMoving)) end = 'rest';
      }
    }
    await this.giveOrder(hasFrames, ['resume']);
    const ended = { end, passedMs, quietMs, isCoarse };
    if (end === 'endless') this.endless = { ...ended, hasFrames };
    return ended;
  }

  async freeze(): Promise<void> {
    await Promise.all([this.giveOrder(true, ['hold']), this.setRate(0)]);
  }

  async release(): Promise<void> {
    if (this.mode === 'freeze') await Promise.all([this.giveOrder(true, ['release']), this.setRate(1)]);
  }

  private async pass(hasFrames: boolean): Promise<[Passed, ...Passed[]]> {
    const passing = { type: this.type, ms: SLICE_MS, withinMs: MOTION_MS, stepMs: STEP_MS };
    const argument = { ...passing, pauseMs: PAUSE_MS, done: doneEventOf(this.type) };
    const [main, ...others] = await Promise.all([
      inPage(this.visit, PASS, argument),
      hasFrames ? this.inFrames(PASS, argument) : [],
    ]);
    return [main, ...others.flat()];
  }

  private async giveOrder(hasFrames: boolean, order: TimeOrder): Promise<void> {
    const argument = { type: this.type, order };
    await Promise.all([inPage(this.visit, ORDER, argument), hasFrames && this.inFrames(ORDER, argument)]);
  }

  private async setRate(playbackRate: number): Promise<void> {
    const sessions = new Set<CDPSession>([this.visit.cdp, ...this.frames().map(processOf)]);
    const set = (cdp: CDPSession): Promise<void> => cdp.send('Animation.setPlaybackRate', { playbackRate });
    // A frame that is gone needs nothing.
    await Promise.allSettled([...sessions].map(set));
  }

  private frames(): Frame[] {
    const { page } = this.visit;
    return page
      .frames()
      .filter((frame) => frame !== page.mainFrame())
      .slice(0, MAX_FRAMES);
  }

  private async inFrames<Argument, Result>(
    run: InPageWith<Argument, Result>,
    argument: Argument,
  ): Promise<Result[]> {
    const runIn = async (frame: Frame): Promise<Result> =>
      inWorld(await openWorld(processOf(frame), frameIdOf(frame)), run, argument);
    const results = await Promise.allSettled(
      this.frames().map((frame) => withTimeout(runIn(frame), FRAME_MS, 'a look at a frame')),
    );
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }
}
