import type { BatchVerdict } from '@capture-service/client';
import type { OnInvalid } from './use-draft.js';

/** What the API says about a batch, for the choice of what to do with rows that are not valid. */
export function verdictFor(onInvalid: OnInvalid, verdict: BatchVerdict): BatchVerdict {
  const { rejected, allowance } = verdict;
  const isAccepted = (rejected === 0 || onInvalid === 'skip') && allowance.needed <= allowance.available;
  return { ...verdict, would_accept: isAccepted };
}
