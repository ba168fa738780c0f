import v8 from 'node:v8';

/** The flag of V8 that `collectBuffersWithTheHeap` sets. */
export const BUFFERS_IN_HEAP_LIMIT = '--external-memory-accounted-in-global-limit';

/**
 * Makes V8 collect all garbage when heap and buffers together have outgrown their limit, instead of whenever buffers alone have
 * grown by 64 MB. A picture passes through several buffers, so that the worker would collect all garbage every dozen captures, and
 * marking its 100 MB of living objects takes 0.2 s of CPU time.
 */
export function collectBuffersWithTheHeap(): void {
  v8.setFlagsFromString(BUFFERS_IN_HEAP_LIMIT);
}
