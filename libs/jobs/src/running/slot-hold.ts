/** Beyond a capture's own timeout: time in the queue, storing its file and telling the database of its end. */
const SLACK_MS = 60_000;

/**
 * How long the slot of a queued job is held at the most, unless it is held anew. It is, as long as the job waits and any
 * worker is alive to look after it; once a worker has taken the job, its slot is leased with it. So a crash of the API
 * costs no slot, one of a worker costs it for the time of a lease, and one of all workers for this time at the most.
 *
 * Of captures that are still to be made after their slots are over (that is: after all workers were gone for so long) the
 * slots are held anew, beside those that were taken meanwhile: for that time an account may have more in progress than
 * its limit. Nothing is ended for it; no further one begins until it is below the limit again.
 */
export function slotHoldMs(timeoutMs: number): number {
  return timeoutMs + SLACK_MS;
}
