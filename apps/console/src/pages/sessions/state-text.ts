import type { SessionRecord } from '@capture-service/client';

/** What the state of a session means for the captures that name it. */
export function stateText({ status, is_logging_in: isLoggingIn }: SessionRecord): string {
  if (isLoggingIn) return 'It logs in, and captures wait for it.';
  switch (status) {
    case 'pending':
      return 'The next capture that names it logs in.';
    case 'active':
      return 'Captures use it.';
    case 'expired':
      return 'Its time has passed. Captures that name it are refused until it logs in again.';
    case 'failed':
      return 'Captures that name it are refused until it logs in again.';
    case 'revoked':
      return 'It was deleted.';
    default:
      return status satisfies never;
  }
}
