import { AppError } from '@app/kernel';
import { BrowserLostError } from './browser-loss.js';
import type { PageLease } from '../page/page-lease.js';
import type { PreparedPage } from '../page/prepared-page.js';
import type { Caller } from './slot-queue.js';
import { setUserAgent, type UserAgent } from '../page/user-agent.js';

/** What only the browser of the page knows, and when it exceeds a limit. */
interface BrowserCalls extends Pick<
  PageLease,
  'reportContexts' | 'isSharedWorker' | 'browserAnswers' | 'browserOpensPages'
> {
  readonly excess: Promise<AppError>;
}

/**
 * Leases the page to the caller. Resolves to whether the caller keeps its context. Rejects as soon as the page is lost or its browser
 * exceeds a limit: a caller that does not react must not block the slot.
 */
export async function serveCaller(
  caller: Caller,
  prepared: PreparedPage,
  { excess, ...browserCalls }: BrowserCalls,
): Promise<boolean> {
  const { page, context, cdp, egress, proxyAuthentication, served } = prepared;
  let isKept = false;
  let unusable: string | undefined;
  const crashed = prepared.lost.then((detail) => new AppError('browser_crashed', { detail }));
  const lost = Promise.race([crashed, excess]);
  const loss = await Promise.race([
    caller.serve({
      page,
      context,
      cdp,
      egress,
      proxyAuthentication,
      lost,
      ...browserCalls,
      markUnusable: (reason) => {
        unusable ??= reason;
      },
      isContextUsed: served > 0,
      keepContext: () => {
        isKept = true;
      },
      setUserAgent: (agent: UserAgent) => setUserAgent(page, agent),
      answerNextDialog: (answer) => {
        prepared.answerNextDialog(answer);
      },
    }),
    lost,
  ]);
  if (loss !== undefined) throw new BrowserLostError(loss.message);
  if (unusable !== undefined) throw new BrowserLostError(unusable, 'log');
  return isKept;
}
