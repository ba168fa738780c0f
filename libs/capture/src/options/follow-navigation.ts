import type { Protocol } from 'puppeteer';
import type { Visit } from '../pipeline/family.js';

/**
 * Does something to the page and, when that makes the page go to another address, waits until that one is loaded.
 * Returns whether it did.
 */
export async function followNavigation(visit: Visit, act: () => Promise<void>): Promise<boolean> {
  const { page, cdp } = visit;
  const stop = new AbortController();
  const { frameTree } = await cdp.send('Page.getFrameTree');
  let leaves = false;
  const note = ({ frameId }: Protocol.Page.FrameRequestedNavigationEvent): void => {
    leaves ||= frameId === frameTree.frame.id;
  };
  cdp.on('Page.frameRequestedNavigation', note);
  // From before the act, or a fast page would be loaded before anybody waits for it.
  const loaded = page
    .waitForNavigation({ timeout: visit.remainingMs(), signal: stop.signal })
    .catch(() => undefined);
  try {
    await cdp.send('Page.enable');
    await act().catch((fault: unknown) => {
      // A script whose page is gone ends with a fault of the protocol, which is none of the script.
      if (!leaves) throw fault;
    });
    // The browser says so after the act that asked for it has returned; by its next answer it has been said.
    await cdp.send('Page.getFrameTree');
    if (leaves) await loaded;
    return leaves;
  } finally {
    cdp.off('Page.frameRequestedNavigation', note);
    stop.abort();
  }
}
