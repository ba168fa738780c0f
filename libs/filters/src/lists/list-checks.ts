import type { RuleCounts } from '../rules/compile-filters.js';

/** Of AdGuard's lists, which have much syntax that is of no use here, at least three of four lines are rules. */
const MIN_SHARE = 0.2;
/** A list that keeps fewer of its rules has been cut, or is another one. */
const MIN_SHARE_KEPT = 0.1;
/** Shorter lists may change as they like. */
const MIN_RULES_COMPARED = 1_000;

/** Why a downloaded list is no good; undefined when it is. */
export function faultOfList(
  { rules, skipped }: RuleCounts,
  before: RuleCounts | undefined,
): string | undefined {
  if (rules === 0) return 'it has no rules';
  if (rules < MIN_SHARE * (rules + skipped)) return `only ${rules} of its ${rules + skipped} lines are rules`;
  if (before === undefined || before.rules < MIN_RULES_COMPARED) return undefined;
  return rules < MIN_SHARE_KEPT * before.rules
    ? `it has ${rules} rules instead of ${before.rules}`
    : undefined;
}
