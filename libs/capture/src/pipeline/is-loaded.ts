import type { SafeAccess } from './in-page.js';

/** The moment of loading that a capture waits for. */
export type LoadMoment = 'load' | 'domcontentloaded' | 'networkidle' | 'auto';

/** Runs in the page. Whether its document has loaded; with `auto` also when the load hangs. */
export function isLoaded(moment: LoadMoment, safe: SafeAccess): boolean {
  const { readyState } = safe(document);
  if (readyState !== 'interactive') return readyState === 'complete';
  const [times] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const parsedAt = times?.domContentLoadedEventEnd ?? 0;
  const isHanging = parsedAt > 0 && performance.now() - parsedAt >= 3_000;
  return moment === 'domcontentloaded' || (moment === 'auto' && isHanging);
}
