/** One of the callers that wait for a job. */
export interface VisitCaller {
  /** Stops counting the caller. Returns whether nobody waits any more for a job that may be canceled. */
  leave(): boolean;
}

interface Visit {
  callers: number;
  mayCancel: boolean;
}

/**
 * The callers of this process that wait for jobs. A job that this process submitted for a caller is canceled when the last
 * of them has left, not when the first one leaves.
 */
export class VisitCallers {
  private readonly visits = new Map<string, Visit>();

  /** @param isOwn whether the job was submitted for this caller */
  join(jobId: string, isOwn: boolean): VisitCaller {
    const visit = this.visits.get(jobId) ?? { callers: 0, mayCancel: false };
    visit.callers++;
    visit.mayCancel ||= isOwn;
    this.visits.set(jobId, visit);
    let isHere = true;
    return {
      leave: () => {
        if (!isHere) return false;
        isHere = false;
        if (--visit.callers > 0) return false;
        this.visits.delete(jobId);
        return visit.mayCancel;
      },
    };
  }

  /** The job goes on when its callers leave: one of them knows where to find it later. */
  keep(jobId: string): void {
    const visit = this.visits.get(jobId);
    if (visit) visit.mayCancel = false;
  }
}
