import type { Taking } from './usage.repository.js';

/** Shares of the allowance, in percent, whose use an account is told of. */
export const THRESHOLDS = [80, 100] as const;
export type Threshold = (typeof THRESHOLDS)[number];

/** `data` of the event `usage.threshold`. */
export interface ThresholdReached {
  readonly threshold: Threshold;
  readonly period: string;
  readonly total: number;
  readonly used: number;
  readonly available: number;
}

/**
 * What the account is to be told of, now that it has used so much. Each threshold once in a period, although units are
 * given back and taken again; anew when the allowance is greater than it was when the account was last told, for it is
 * then another number of captures. An account that names no address is told when it does, with its next capture.
 */
export function thresholdsDue(taking: Taking): Threshold[] {
  const { used, total, announced, announcedTotal, webhookUrl } = taking;
  if (webhookUrl === null) return [];
  const told = total > announcedTotal ? 0 : announced;
  return THRESHOLDS.filter((threshold) => threshold > told && used * 100 >= threshold * total);
}

export function thresholdReached(threshold: Threshold, { period, total, used }: Taking): ThresholdReached {
  return { threshold, period, total, used, available: total - used };
}
