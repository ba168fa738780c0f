import { useEffect, useState } from 'react';
import type { BatchSource } from './sources.js';

/** Only the name: the rows may be too many for what a browser keeps, and may hold secrets. */
const KEPT = 'capture-console-batch-file';

/**
 * Has the browser ask before a reload loses the rows that were chosen, and returns the name of those that the latest reload lost.
 *
 * @param source the rows that are not submitted yet; null without any
 */
export function useLeaveWarning(source: BatchSource | null): string | undefined {
  const [lost] = useState(() => sessionStorage.getItem(KEPT) ?? undefined);
  useEffect(() => {
    if (source === null) return undefined;
    sessionStorage.setItem(KEPT, source.name);
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => {
      sessionStorage.removeItem(KEPT);
      window.removeEventListener('beforeunload', ask);
    };
  }, [source]);
  // It is said once: a later visit of the page has lost nothing.
  useEffect(() => sessionStorage.removeItem(KEPT), []);
  return lost;
}
