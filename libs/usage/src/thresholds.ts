import type { Taking } from './usage.repository.js';

/** Percentages of the allowance at which an account is notified. */
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
 * The thresholds to notify an account of after it has taken units. Each threshold is announced once in a period, even if
 * units are released and taken again, and once more after the allowance was raised, when it stands for another number of
 * captures. An account without a webhook URL is notified with its next capture after it has set one.
 */
export function thresholdsDue(taking: Taking): Threshold[] {
  const { used, total, announced, announcedTotal, webhookUrl } = taking;
  if (webhookUrl === null) return [];
  const last = total > announcedTotal ? 0 : announced;
  return THRESHOLDS.filter((threshold) => threshold > last && used * 100 >= threshold * total);
}

export function thresholdReached(threshold: Threshold, { period, total, used }: Taking): ThresholdReached {
  return { threshold, period, total, used, available: total - used };
}
