import type { BatchRecord } from '@capture-service/client';
import { useEffect, useRef, useState } from 'react';
import { endedRows } from '../batch-counts.js';
import { rowsPerMinute, withSample, type Sample } from './pace.js';

const SAMPLED_MS = 1_000;

/** Rows per minute, as far as this page has seen them end; null while that cannot be said. */
export function usePace(batch: BatchRecord): number | null {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const ended = useRef(0);
  useEffect(() => {
    ended.current = endedRows(batch);
  }, [batch]);
  useEffect(() => {
    // Also while nothing ends, so that the pace of a batch that is stuck falls to 0.
    const timer = setInterval(() => {
      setSamples((old) => withSample(old, { atMs: Date.now(), ended: ended.current }));
    }, SAMPLED_MS);
    return () => clearInterval(timer);
  }, []);
  return rowsPerMinute(samples);
}
