import type { ChangeReport, PictureBox } from '@app/capture';
import type { Job } from '@app/jobs';
import { AppError, type ErrorBody } from '@app/kernel';
import type { AlertRules, CheckOutcome, CheckReason } from '../monitor-state.js';
import { isLearntNoise } from './learnt-noise.js';

/** What a capture of a check means: the page is captured again, or the check ends. */
export type Decision =
  | { readonly kind: 'confirm' }
  | {
      readonly kind: 'ends';
      readonly outcome: CheckOutcome;
      readonly reason: CheckReason | null;
      /** Whether later captures are compared with this one. */
      readonly becomesBaseline: boolean;
      readonly error?: ErrorBody;
    };

/** Captures of the first check, whose differences are noise: it is known before the page is compared with how it was. */
const FIRST_CAPTURES = 3;
/** Checks in which a page shows most of its noise. */
const YOUNG_CHECKS = 5;
/** Captures that must show a change besides `confirm` until then: two of one moment may show the same advertisement. */
const YOUNG_CAPTURES = 1;

/** What earlier checks of a page say about it. */
export interface PageHistory {
  /** Those that captured it, of its last ones. */
  readonly checks: number;
  /** Where it differed between the captures of one check. */
  readonly noise: readonly PictureBox[];
}

/** An open check whose latest capture has ended. */
export interface EndedCapture {
  readonly rules: AlertRules;
  readonly baselineId: string | null;
  /** Captures of the check so far. */
  readonly captures: number;
  readonly history: PageHistory;
  /** Whether a picture is compared. Of texts no noise is remembered. */
  readonly isPicture: boolean;
  /** Null when its record is gone. */
  readonly job: Pick<Job, 'status' | 'verdict' | 'change' | 'error'> | null;
}

export function decide(ended: EndedCapture): Decision {
  const { baselineId, job } = ended;
  if (job?.status !== 'succeeded') return ends('failed', null, { error: errorOf(job) });
  // A document that is no page has no verdict.
  if (job.verdict && job.verdict.kind !== 'page') return ends('ignored', 'verdict');
  if (baselineId === null) return decideOnFirst(ended);
  const { change } = job;
  if (change?.compared_with !== baselineId || change.failure === 'file_missing') {
    return ends('ignored', 'baseline_missing', { becomesBaseline: true });
  }
  return decideOnChange(change, ended);
}

function decideOnFirst({ rules, captures, isPicture }: EndedCapture): Decision {
  const learns = isPicture && rules.confirm > 1 && captures < FIRST_CAPTURES;
  return learns ? { kind: 'confirm' } : ends('same', 'first', { becomesBaseline: true });
}

function decideOnChange(
  change: ChangeReport,
  { rules, captures, history, isPicture }: EndedCapture,
): Decision {
  if (change.failure !== null) return ends('ignored', 'not_compared');
  if (change.changed !== true) return ends('same', captures > 1 ? 'unconfirmed' : null);
  if ((change.ratio ?? 0) < rules.min_ratio) return ends('same', 'small');
  if (captures < rules.confirm) return { kind: 'confirm' };
  // It is captured again all the same, so that noise stays known.
  if (isLearntNoise(change.boxes, history.noise)) return ends('same', 'unconfirmed');
  const isYoung = isPicture && rules.confirm > 1 && history.checks < YOUNG_CHECKS;
  if (isYoung && captures < rules.confirm + YOUNG_CAPTURES) return { kind: 'confirm' };
  return ends('changed', null, { becomesBaseline: true });
}

function errorOf(job: EndedCapture['job']): ErrorBody {
  return job?.error ?? new AppError(job?.status === 'canceled' ? 'job_canceled' : 'result_expired').toBody();
}

function ends(
  outcome: CheckOutcome,
  reason: CheckReason | null,
  { becomesBaseline = false, error }: { becomesBaseline?: boolean; error?: ErrorBody } = {},
): Decision {
  return { kind: 'ends', outcome, reason, becomesBaseline, ...(error && { error }) };
}
