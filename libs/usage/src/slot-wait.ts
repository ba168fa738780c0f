import type { HeldSlots } from './slot.repository.js';

const LONGEST_S = 60;

/**
 * Seconds after which a caller who found no slot free may well find one. Captures are taken to go on for as long as they
 * have gone on, and to end evenly over that time: short ones free a slot in a second, long ones are not asked for in vain.
 */
export function slotWaitS({ held, limit, meanAgeS }: HeldSlots): number {
  const ends = Math.max(1, held - limit + 1);
  return Math.min(LONGEST_S, Math.max(1, Math.ceil((ends * 2 * meanAgeS) / (held + 1))));
}
