import type { BatchRecord } from '@capture-service/client';
import { useCallback, useEffect, useRef, useState } from 'react';

/** Rows in view are read again at most this often. */
const RENEWED_MS = 1_000;

type Renew = () => Promise<unknown>;
/** The list of rows says by this how the rows in view are read again, and null when there is no list. */
export type OnRenew = (renew: Renew | null) => void;

/**
 * The batch as the page shows it: each new record once the rows in view have been read after it. So the counts never say that a
 * row has ended which the page still shows as running.
 */
export function useShownBatch(latest: BatchRecord): { shown: BatchRecord; onRenew: OnRenew } {
  const renew = useRef<Renew>(null);
  const wanted = useRef(latest);
  const isFollowing = useRef(false);
  const [shown, setShown] = useState(latest);
  useEffect(() => {
    wanted.current = latest;
    if (isFollowing.current) return;
    isFollowing.current = true;
    const follow = async (): Promise<void> => {
      let next: BatchRecord;
      do {
        next = wanted.current;
        // The rows say by themselves that they cannot be read.
        await renew.current?.().catch(() => undefined);
        setShown(next);
        await new Promise((resolve) => setTimeout(resolve, RENEWED_MS));
      } while (wanted.current !== next);
      isFollowing.current = false;
    };
    void follow();
  }, [latest]);
  const onRenew = useCallback<OnRenew>((next) => {
    renew.current = next;
  }, []);
  return { shown, onRenew };
}
