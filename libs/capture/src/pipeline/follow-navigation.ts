import type { Protocol } from 'puppeteer';
import type { Visit } from './family.js';
import { frameIdOf } from './frame-sessions.js';

/**
 * Performs an action on the page and, when that makes the page navigate, waits until the new document has loaded. Returns
 * whether the page navigated.
 */
export async function followNavigation(visit: Visit, act: () => Promise<void>): Promise<boolean> {
  const { page, cdp } = visit;
  const stop = new AbortController();
  const mainFrame = frameIdOf(visit.mainFrame);
  let isNavigating = false;
  const onNavigation = ({ frameId }: Protocol.Page.FrameRequestedNavigationEvent): void => {
    isNavigating ||= frameId === mainFrame;
  };
  cdp.on('Page.frameRequestedNavigation', onNavigation);
  // The wait starts before the action, because a fast page may load at once.
  const loaded = page
    .waitForNavigation({ timeout: visit.remainingMs(), signal: stop.signal })
    .catch(() => undefined);
  try {
    await cdp.send('Page.enable');
    await act().catch((fault: unknown) => {
      // When the page navigates, its script ends with a protocol error that is not the script's.
      if (!isNavigating) throw fault;
    });
    // The browser reports the navigation after the action has returned; one more round trip ensures that it has.
    await cdp.send('Runtime.getIsolateId');
    if (isNavigating) await loaded;
    return isNavigating;
  } finally {
    cdp.off('Page.frameRequestedNavigation', onNavigation);
    stop.abort();
  }
}
