import type { Accepted } from '@app/jobs';

/** A request for a capture that others may ask for at the same time. */
interface CoalescedRequest {
  /** Asks the cache, and submits a job if it has no answer. */
  readonly submit: () => Promise<Accepted>;
  /** Settles when the job has ended. */
  readonly end: (accepted: Accepted) => Promise<unknown>;
  /** The job that the request followed before, and that ended without an answer for it. */
  readonly followedId?: string | undefined;
}

/**
 * Shares calls inside this process, and decides nothing: of requests for the same capture the first one submits it, and while
 * the job that it was answered with is unfinished, the others follow that job without a query. Which of all processes makes the
 * visit is decided by the rows of the cache (libs/jobs/src/cache/sync-cache.service.ts).
 */
export class RequestCoalescer {
  private readonly running = new Map<string, Promise<Accepted>>();

  /** @param name the same for requests that may share a call */
  async submit(name: string, request: CoalescedRequest): Promise<Accepted> {
    const running = this.running.get(name);
    const accepted = await running;
    if (accepted && accepted.job.id !== request.followedId) return following(accepted);
    // The end of the job that failed the caller may not have been noticed here yet, or another caller has just asked.
    const latest = this.running.get(name);
    if (latest && latest !== running) return this.submit(name, request);
    return this.call(name, request);
  }

  private call(name: string, { submit, end }: CoalescedRequest): Promise<Accepted> {
    const accepted = submit();
    this.running.set(name, accepted);
    const forget = (): void => {
      if (this.running.get(name) === accepted) this.running.delete(name);
    };
    accepted.then(end).then(forget, forget);
    return accepted;
  }
}

function following(accepted: Accepted): Accepted {
  return { ...accepted, use: accepted.use ?? { status: 'coalesced', ageS: 0 } };
}
