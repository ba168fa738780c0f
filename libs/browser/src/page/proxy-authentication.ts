import type { CDPSession, Protocol } from 'puppeteer';
import type { EgressCredential } from './egress.js';

const CONFIRMED = 204;

/**
 * Gives the credential of its proxy to a context, once. Chromium accepts it neither on its command line nor in the address of the
 * proxy, but only in response to a challenge. From then on it sends the credential with every request and tunnel of the context
 * (frames, workers, WebSockets).
 */
export class ProxyAuthentication {
  private giving?: Promise<void>;

  constructor(
    private readonly cdp: CDPSession,
    /** Absent where the proxy requires nothing. */
    private readonly credential: EgressCredential | undefined,
  ) {}

  /**
   * Gives the credential with a request of its own. What pauses requests of the page calls this first: of several sessions that
   * pause a request, any may be asked for the credential.
   */
  authenticate(): Promise<void> {
    return (this.giving ??= this.credential ? fetchWith(this.cdp, this.credential) : Promise.resolve());
  }

  /** Gives the credential with the next document, unless it was given. This saves the request. To be called before navigation. */
  authenticateWithDocument(): Promise<void> {
    return (this.giving ??= this.credential
      ? answerChallenge(this.cdp, this.credential, { urlPattern: '*', resourceType: 'Document' })
      : Promise.resolve());
  }
}

async function fetchWith(cdp: CDPSession, credential: EgressCredential): Promise<void> {
  const { url } = credential;
  // The browser processes the messages of a session in order, so the second need not wait for the first answer.
  const [, { result }] = await Promise.all([
    answerChallenge(cdp, credential, { urlPattern: url }),
    cdp.send('Runtime.evaluate', {
      expression: `fetch(${JSON.stringify(url)}).then(({ status }) => status)`,
      awaitPromise: true,
      returnByValue: true,
    }),
  ]);
  if (result.value !== CONFIRMED) throw new Error('The egress proxy did not accept the credential.');
}

/**
 * Answers the challenge to the first request of this pattern. Chromium asks only for requests that it has paused before they were
 * sent. Nothing is paused afterwards.
 */
async function answerChallenge(
  cdp: CDPSession,
  credential: EgressCredential,
  pattern: Protocol.Fetch.RequestPattern,
): Promise<void> {
  const proceed = ({ requestId }: Protocol.Fetch.RequestPausedEvent): void => {
    cdp.send('Fetch.continueRequest', { requestId }).catch(ignoreGone);
  };
  const answer = (challenge: Challenge): void => {
    cdp.off('Fetch.requestPaused', proceed).off('Fetch.authRequired', answer);
    void respond(cdp, challenge, credential);
    // Processed after the response and before any later message, so that no answer need be awaited.
    cdp.send('Fetch.disable').catch(ignoreGone);
  };
  cdp.on('Fetch.requestPaused', proceed).on('Fetch.authRequired', answer);
  await cdp.send('Fetch.enable', { handleAuthRequests: true, patterns: [pattern] });
}

type Challenge = Protocol.Fetch.AuthRequiredEvent;

/** A target that asks for a password must not get that of the proxy. */
async function respond(
  cdp: CDPSession,
  { requestId, authChallenge }: Challenge,
  { username, password }: EgressCredential,
): Promise<void> {
  const authChallengeResponse =
    authChallenge.source === 'Proxy'
      ? ({ response: 'ProvideCredentials', username, password } as const)
      : ({ response: 'Default' } as const);
  await cdp.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(ignoreGone);
}

function ignoreGone(): void {
  // The page is gone, and needs nothing any more.
}
