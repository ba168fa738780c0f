import { every, refOrNull, string } from '@app/kernel';
import { defineFact } from './fact.js';

export const VERDICTS = ['page', 'blank', 'bot_wall', 'login_wall', 'error_page'] as const;

/** What the picture most likely shows. */
export interface Verdict {
  readonly kind: (typeof VERDICTS)[number];
  /** The signs that led to it, such as `title: Just a moment...`; at most 10. */
  readonly evidence: readonly string[];
}

/** Whether the page asked for a log-in instead of showing what was wanted. */
export function isLogInWall({ verdict }: { readonly verdict: Verdict | null }): boolean {
  return verdict?.kind === 'login_wall';
}

const VERDICT = {
  ...every({
    kind: { type: 'string', enum: VERDICTS },
    evidence: { type: 'array', items: { ...string, example: 'title: Just a moment...' } },
  }),
  description:
    'What the file most likely shows, and at most 10 signs of it: the page itself, nothing that is drawn, a challenge of a bot manager or a CAPTCHA, a log-in instead of the page, or an error page. Null when the capture failed before, or when the page did not respond.',
};

export const VERDICT_FACTS = {
  /** Null until the page has been judged. */
  verdict: defineFact({
    empty: (): Verdict | null => null,
    column: 'json',
    isErased: true,
    whenFailed: true,
    schema: refOrNull('Verdict'),
    components: { Verdict: VERDICT },
    example: { kind: 'page', evidence: [] },
  }),
};
