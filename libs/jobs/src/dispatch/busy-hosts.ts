import type { Env } from '@app/config';
import { Tally } from './tally.js';

/** The host and the batch of a job. */
export interface HostVisit {
  /** Null for a single job. */
  readonly batchId: string | null;
  /** Null for a job without a host, which no limit applies to. */
  readonly host: string | null;
}

/** The highest number of jobs in flight to one host. */
export interface HostLimits {
  readonly inAll: number;
  readonly ofOneBatch: number;
}

/** Captures of one batch that visit the same host at once, however many the operator allows in all, to protect the site. */
const BATCH_HOST_CONCURRENCY = 4;

export function hostLimitsOf({ HOST_CONCURRENCY }: Env): HostLimits {
  return { inAll: HOST_CONCURRENCY, ofOneBatch: BATCH_HOST_CONCURRENCY };
}

/** Counts the jobs in flight to each host, and reports which hosts have reached their limit. */
export class BusyHosts {
  private readonly visits = new Tally<string>();
  private readonly visitsOfBatches = new Map<string, Tally<string>>();

  constructor(
    private readonly limits: HostLimits,
    inFlight: readonly HostVisit[],
  ) {
    for (const visit of inFlight) this.add(visit);
  }

  add({ batchId, host }: HostVisit): void {
    if (host === null) return;
    this.visits.add(host);
    if (batchId === null) return;
    const ofBatch = this.visitsOfBatches.get(batchId) ?? new Tally<string>();
    ofBatch.add(host);
    this.visitsOfBatches.set(batchId, ofBatch);
  }

  isBusy({ batchId, host }: HostVisit): boolean {
    if (host === null) return false;
    if (this.visits.countOf(host) >= this.limits.inAll) return true;
    return (
      batchId !== null && (this.visitsOfBatches.get(batchId)?.countOf(host) ?? 0) >= this.limits.ofOneBatch
    );
  }

  /** Lists the hosts that are busy for a job of this batch, or for a single job. */
  listFor(batchId: string | null): string[] {
    const ofBatch = batchId === null ? undefined : this.visitsOfBatches.get(batchId);
    return [
      ...new Set([
        ...this.visits.atLeast(this.limits.inAll),
        ...(ofBatch?.atLeast(this.limits.ofOneBatch) ?? []),
      ]),
    ];
  }
}
