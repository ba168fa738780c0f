/** Time beyond the timeout of a capture: for the queue, for storing the file and for recording the end. */
const SLACK_MS = 60_000;

/**
 * How long the slot of a queued job is held unless the hold is renewed. It is renewed while the job waits and any worker is
 * alive; when a worker takes the job, the slot is held with the lease instead. A crash of the API therefore costs no slot,
 * a crash of one worker costs it for the length of a lease, and a crash of all workers for at most this time.
 *
 * After such an outage the slots of the jobs that still wait are held again, in addition to slots that were taken in
 * between. Until those jobs end, an account may have more captures in progress than its limit allows; none of them is
 * canceled, and no new one starts until the account is below its limit.
 */
export function slotHoldMs(timeoutMs: number): number {
  return timeoutMs + SLACK_MS;
}
