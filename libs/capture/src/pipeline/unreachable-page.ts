import { AppError } from '@app/kernel';
import type { Visit } from './family.js';

/**
 * The error when Chromium shows its own error page instead of an address to which the page navigated; undefined when a server
 * has answered, because Chromium also shows its own page for an error status without a body.
 */
export function unreachableError(visit: Visit, unreachable: string | undefined): Error | undefined {
  if (unreachable === undefined || unreachable === visit.response?.url()) return undefined;
  const netError = visit.netErrorOf(unreachable);
  if (netError !== undefined) return new Error(`net::${netError} at ${unreachable}`);
  return new AppError('target_connection_failed', {
    detail: 'The page navigated to another address that could not be reached.',
  });
}
