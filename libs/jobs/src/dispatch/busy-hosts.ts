import { Tally } from './tally.js';

/** Where a job goes, and with which batch. */
export interface HostUse {
  /** Null for a single job. */
  readonly batchId: string | null;
  /** Null for a target without one, which is nobody's burden. */
  readonly host: string | null;
}

/** Jobs in flight to one host at the most. */
export interface HostLimits {
  readonly all: number;
  readonly ofOneBatch: number;
}

/** The hosts that get as many visits as they are to have. */
export class BusyHosts {
  private readonly visits = new Tally<string>();
  private readonly visitsOfBatches = new Map<string, Tally<string>>();

  constructor(
    private readonly limits: HostLimits,
    inFlight: readonly HostUse[],
  ) {
    for (const visit of inFlight) this.add(visit);
  }

  add({ batchId, host }: HostUse): void {
    if (host === null) return;
    this.visits.add(host);
    if (batchId === null) return;
    const ofBatch = this.visitsOfBatches.get(batchId) ?? new Tally<string>();
    ofBatch.add(host);
    this.visitsOfBatches.set(batchId, ofBatch);
  }

  isBusy({ batchId, host }: HostUse): boolean {
    if (host === null) return false;
    if (this.visits.of(host) >= this.limits.all) return true;
    return batchId !== null && (this.visitsOfBatches.get(batchId)?.of(host) ?? 0) >= this.limits.ofOneBatch;
  }

  /** Those that a job of this batch, or a single one, is not to visit. */
  listFor(batchId: string | null): string[] {
    const ofBatch = batchId === null ? undefined : this.visitsOfBatches.get(batchId);
    return [
      ...new Set([
        ...this.visits.atLeast(this.limits.all),
        ...(ofBatch?.atLeast(this.limits.ofOneBatch) ?? []),
      ]),
    ];
  }
}
