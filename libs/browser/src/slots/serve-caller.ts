import { AppError } from '@app/kernel';
import { BrowserLostError } from './browser-loss.js';
import type { PageLease } from '../page/page-lease.js';
import type { PreparedPage } from '../page/prepared-page.js';
import type { Caller } from './slot-queue.js';
import { setUserAgent, type UserAgent } from '../page/user-agent.js';

/**
 * Leases the page to the caller. Rejects as soon as the page is lost or its browser exceeds a limit: a caller that does not
 * react must not block the slot.
 */
export async function serveCaller(
  caller: Caller,
  prepared: PreparedPage,
  {
    excess,
    ...browserCalls
  }: Pick<PageLease, 'reportContexts' | 'isSharedWorker' | 'browserAnswers' | 'browserOpensPages'> & {
    readonly excess: Promise<AppError>;
  },
): Promise<void> {
  const { page, context, cdp, egress, proxyAuthentication } = prepared;
  let unusable: string | undefined;
  const crashed = prepared.lost.then((detail) => new AppError('browser_crashed', { detail }));
  const lost = Promise.race([crashed, excess]);
  const markUnusable = (reason: string): void => {
    unusable ??= reason;
  };
  const loss = await Promise.race([
    caller.serve({
      page,
      context,
      cdp,
      egress,
      proxyAuthentication,
      lost,
      ...browserCalls,
      markUnusable,
      setUserAgent: (agent: UserAgent) => setUserAgent(page, agent),
      answerNextDialog: (answer) => {
        prepared.answerNextDialog(answer);
      },
    }),
    lost,
  ]);
  if (loss !== undefined) throw new BrowserLostError(loss.message);
  if (unusable !== undefined) throw new BrowserLostError(unusable, 'log');
}
