import type { CDPSession, Protocol } from 'puppeteer';
import type { Visit } from './family.js';
import { toSource, type InPage, type InPageWith } from './in-page.js';

/** A page with more frames in one process is hostile; the others are left as they are. */
const MAX_FRAMES = 100;

/** All frames of a visit, in whichever process they run. */
export class EveryFrame {
  private readonly sessions = new Set<CDPSession>();

  private constructor() {}

  /** To be called before navigation. */
  static async of({ frameSessions }: Pick<Visit, 'frameSessions'>): Promise<EveryFrame> {
    const every = new EveryFrame();
    await frameSessions.follow(async ({ cdp, frameId }) => {
      if (frameId !== undefined) every.sessions.add(cdp);
    });
    return every;
  }

  /** Sends a command to each process. One that is gone is skipped. */
  async send(command: (cdp: CDPSession) => Promise<unknown>): Promise<void> {
    await Promise.all([...this.sessions].map((cdp) => command(cdp).catch(() => this.check(cdp))));
  }

  /**
   * Runs a function in all frames, as `inPage` does in the page. Frames that are gone, or are about to navigate, give no result.
   */
  async run<Argument, Result>(
    run: InPage<Argument, Result> | InPageWith<Argument, Result>,
    argument: Argument,
  ): Promise<Result[]> {
    const results = await Promise.all(
      [...this.sessions].map((cdp) => this.runIn(cdp, toSource(run), argument)),
    );
    return results.flat() as Result[];
  }

  private async runIn(cdp: CDPSession, functionDeclaration: string, argument: unknown): Promise<unknown[]> {
    try {
      const { frameTree } = await cdp.send('Page.getFrameTree');
      const results = await Promise.all(
        framesOf(frameTree)
          .slice(0, MAX_FRAMES)
          .map((frameId) => evaluateIn(cdp, { frameId, functionDeclaration, argument }).catch(() => [])),
      );
      return results.flat(1);
    } catch {
      this.check(cdp);
      return [];
    }
  }

  private check(cdp: CDPSession): void {
    if (cdp.detached) this.sessions.delete(cdp);
  }
}

function framesOf({ frame, childFrames = [] }: Protocol.Page.FrameTree): string[] {
  return [frame.id, ...childFrames.flatMap(framesOf)];
}

/** The result in a list, which is empty when the function threw. */
async function evaluateIn(
  cdp: CDPSession,
  {
    frameId,
    functionDeclaration,
    argument,
  }: { frameId: string; functionDeclaration: string; argument: unknown },
): Promise<[unknown] | []> {
  const { executionContextId } = await cdp.send('Page.createIsolatedWorld', {
    frameId,
    worldName: 'capture',
  });
  const { result, exceptionDetails } = await cdp.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration,
    arguments: [{ value: argument }],
    returnByValue: true,
    awaitPromise: true,
  });
  return exceptionDetails ? [] : [result.value];
}
