/** From 0 to 1, and not 0 for anything that changed. */
export function ratioOf(changed: number, all: number): number {
  if (changed === 0) return 0;
  return Math.min(1, Math.max(0.000_001, Math.round((changed / Math.max(1, all)) * 1e6) / 1e6));
}
