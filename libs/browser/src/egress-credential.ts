import type { CDPSession } from 'puppeteer';
import type { EgressCredential } from './egress.js';

const CONFIRMED = 204;

/**
 * Makes a context know the credential of its proxy. Chromium takes none on its command line or in a proxy's address: it has to
 * be challenged once. From then on it sends the credential with every request and tunnel of the context by itself (frames, workers,
 * WebSockets), so that nothing of a capture is intercepted for it.
 */
export async function showCredential(
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
    // The browser takes the messages of a session in their order: the second need not wait for the answer to the first.
    const [, { result }] = await Promise.all([
      cdp.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: url }] }),
      cdp.send('Runtime.evaluate', {
        expression: `fetch(${JSON.stringify(url)}).then(({ status }) => status)`,
        awaitPromise: true,
        returnByValue: true,
      }),
    ]);
    if (result.value !== CONFIRMED) throw new Error('The egress proxy did not take the credential.');
    // Before anything else of this browser, so its answer need not be awaited.
    cdp.send('Fetch.disable').catch(() => undefined);
  } finally {
    cdp.off('Fetch.requestPaused', proceed).off('Fetch.authRequired', answer);
  }
}
