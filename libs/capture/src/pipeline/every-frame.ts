import type { CDPSession, Page } from 'puppeteer';
import type { Visit } from './family.js';
import { documentsFrom } from './frame-sessions.js';
import {
  inWorld,
  isProtocolError,
  openWorld,
  type InPage,
  type InPageWith,
  type IsolatedWorld,
} from './in-page.js';

/** A page with more frames in one process is hostile; the others are left as they are. */
const MAX_FRAMES = 100;

/** All frames of a visit, in whichever process they run. */
export class EveryFrame {
  /** The sessions with the processes, and the topmost frame of each. */
  private readonly sessions = new Map<CDPSession, string>();
  /** The worlds that were opened, by frame. That of a document that is gone answers with an error. */
  private readonly worlds = new Map<string, IsolatedWorld>();

  private constructor(private readonly page: Page) {}

  /** To be called before navigation. */
  static async open({ page, frameSessions }: Pick<Visit, 'page' | 'frameSessions'>): Promise<EveryFrame> {
    const every = new EveryFrame(page);
    await frameSessions.follow(async ({ cdp, frameId }) => {
      if (frameId !== undefined) every.sessions.set(cdp, frameId);
    });
    return every;
  }

  /** Sends a command to each process. One that is gone is skipped. */
  async send(command: (cdp: CDPSession) => Promise<unknown>): Promise<void> {
    await Promise.all([...this.sessions.keys()].map((cdp) => command(cdp).catch(() => this.check(cdp))));
  }

  /**
   * Runs a function in all frames, as `inPage` does in the page. Frames that are gone, or are about to navigate, give no result.
   */
  async run<Argument, Result>(
    run: InPage<Argument, Result> | InPageWith<Argument, Result>,
    argument: Argument,
  ): Promise<Result[]> {
    const results = await Promise.all(
      [...this.sessions].map(([cdp, frameId]) => this.runIn({ cdp, frameId }, run, argument)),
    );
    return results.flat();
  }

  private async runIn<Argument, Result>(
    { cdp, frameId }: { readonly cdp: CDPSession; readonly frameId: string },
    run: InPage<Argument, Result> | InPageWith<Argument, Result>,
    argument: Argument,
  ): Promise<Result[]> {
    try {
      const frames = documentsFrom(this.page, frameId).slice(0, MAX_FRAMES);
      const results = await Promise.allSettled(
        frames.map(({ id }) => this.inFrame({ cdp, frameId: id }, run, argument)),
      );
      return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    } catch {
      this.check(cdp);
      return [];
    }
  }

  private async inFrame<Argument, Result>(
    { cdp, frameId }: { readonly cdp: CDPSession; readonly frameId: string },
    run: InPage<Argument, Result> | InPageWith<Argument, Result>,
    argument: Argument,
  ): Promise<Result> {
    const known = this.worlds.get(frameId);
    if (known?.cdp === cdp) {
      try {
        return await inWorld(known, run, argument);
      } catch (error) {
        if (!isProtocolError(error)) throw error;
      }
    }
    const world = await openWorld(cdp, frameId);
    this.worlds.set(frameId, world);
    return inWorld(world, run, argument);
  }

  private check(cdp: CDPSession): void {
    if (cdp.detached) this.sessions.delete(cdp);
  }
}
