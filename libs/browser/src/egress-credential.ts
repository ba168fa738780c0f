import type { CDPSession } from 'puppeteer';
import type { EgressCredential } from './egress.js';

const CONFIRMED = 204;

/**
 * Gives the credential of its proxy to a context. Chromium accepts it neither on its command line nor in the address of the
 * proxy, but only in response to a challenge. From then on it sends the credential with every request and tunnel of the
 * context (frames, workers, WebSockets), so that no request of a capture is intercepted for it.
 */
export async function authenticateEgress(
  cdp: CDPSession,
  { username, password, url }: EgressCredential,
): Promise<void> {
  const proceed = ({ requestId }: { requestId: string }): void => {
    cdp.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  };
  const answer = ({ requestId }: { requestId: string }): void => {
    const authChallengeResponse = { response: 'ProvideCredentials', username, password } as const;
    cdp.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined);
  };
  cdp.on('Fetch.requestPaused', proceed).on('Fetch.authRequired', answer);
  try {
    // The browser processes the messages of a session in order, so the second need not wait for the first answer.
    const [, { result }] = await Promise.all([
      cdp.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: url }] }),
      cdp.send('Runtime.evaluate', {
        expression: `fetch(${JSON.stringify(url)}).then(({ status }) => status)`,
        awaitPromise: true,
        returnByValue: true,
      }),
    ]);
    if (result.value !== CONFIRMED) throw new Error('The egress proxy did not accept the credential.');
    // Processed before any later message, so its answer need not be awaited.
    cdp.send('Fetch.disable').catch(() => undefined);
  } finally {
    cdp.off('Fetch.requestPaused', proceed).off('Fetch.authRequired', answer);
  }
}
