import type { Accepted } from '@app/jobs';

interface Election {
  /** Asks the cache, and submits a job if it has no answer. */
  readonly submit: () => Promise<Accepted>;
  /** Settles when the job has ended. */
  readonly end: (accepted: Accepted) => Promise<unknown>;
  /** The job that the request followed before, in vain. */
  readonly followedId?: string | undefined;
}

/**
 * Requests of this process for the same capture are one question to the cache: the first one asks, and while the job that it
 * was answered with is unfinished, the others follow that job without a query.
 */
export class SharedElections {
  private readonly running = new Map<string, Promise<Accepted>>();

  /** @param name the same for requests that may share */
  async join(name: string, election: Election): Promise<Accepted> {
    const running = this.running.get(name);
    const accepted = await running;
    if (accepted && accepted.job.id !== election.followedId) return following(accepted);
    // The end of the job that failed the caller may not have been noticed here yet, or another caller has just asked.
    const latest = this.running.get(name);
    if (latest && latest !== running) return this.join(name, election);
    return this.open(name, election);
  }

  private open(name: string, { submit, end }: Election): Promise<Accepted> {
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
