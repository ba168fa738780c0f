import { CaptureError, type Health } from '@capture-service/client';

export interface Verdict {
  /** A word for the badge. */
  readonly status: Health['status'] | 'no answer';
  readonly text: string;
}

interface Reading {
  /** The state that was read last. */
  readonly status?: Health['status'] | undefined;
  /** Why the latest reading failed. */
  readonly error: unknown;
  /** The age of what was read last. */
  readonly ageMs: number;
}

/** An answer that is older says nothing about now. */
const STALE_MS = 10_000;

const TEXTS: Readonly<Record<Health['status'], string>> = {
  ok: 'Everything works.',
  degraded: 'Requests are answered, but captures may fail or wait.',
  down: 'The database is unavailable: nothing is accepted.',
};

/** What is known of the service now. What was read before a failure is not taken for the present. */
export function verdictOf({ status, error, ageMs }: Reading): Verdict {
  if (isRefused(error)) return { status: 'down', text: 'The service answers, but its state is not known.' };
  if (error || status === undefined || ageMs > STALE_MS)
    return { status: 'no answer', text: 'The service does not answer.' };
  return { status, text: TEXTS[status] };
}

/** Whether the API itself answered with an error. */
function isRefused(error: unknown): boolean {
  return error instanceof CaptureError && error.status !== undefined;
}
