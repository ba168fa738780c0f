import { backgroundSlots, LANES, type Lane } from '@app/jobs';

/** A slot that a capture has acquired. */
export interface Slot {
  /** Frees the slot; further calls do nothing. */
  release(): void;
}

interface Request {
  readonly lane: Lane;
  readonly grant: (slot: Slot) => void;
}

/**
 * Gives the slots of this worker to captures. Requests of the interactive lane come first, unless a slot is kept for the
 * background, which never gets all slots of a worker that has several.
 */
export class SlotAllocator {
  private readonly used: Record<Lane, number> = { interactive: 0, background: 0 };
  private readonly requests = new Set<Request>();

  /** @param keepsOne whether one free slot, if the background may have it, is kept for the background at this moment */
  constructor(
    private slots: number,
    private readonly keepsOne: () => boolean = () => false,
  ) {}

  /** Changes the number of slots. Captures that have more than that keep theirs. */
  resize(slots: number): void {
    this.slots = slots;
    this.grantAll();
  }

  /** Waits for a slot; resolves to null when `signal` aborts first. */
  acquire(lane: Lane, signal: AbortSignal): Promise<Slot | null> {
    if (signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const stopWaiting = (): void => {
        this.requests.delete(request);
        resolve(null);
      };
      const request: Request = {
        lane,
        grant: (slot) => {
          signal.removeEventListener('abort', stopWaiting);
          resolve(slot);
        },
      };
      signal.addEventListener('abort', stopWaiting, { once: true });
      this.requests.add(request);
      this.grantAll();
    });
  }

  /** How many entries the lane can use: one for each slot that it has or that is free for it. */
  usableEntries(lane: Lane): number {
    return this.used[lane] + Math.max(0, this.free(lane));
  }

  isFull(): boolean {
    return this.freeInAll() <= 0;
  }

  /** Whether no capture has a slot. */
  isIdle(): boolean {
    return LANES.every((lane) => this.used[lane] === 0);
  }

  /** Whether a slot is free and kept for the background. */
  isKeeping(): boolean {
    return this.free('background') > 0 && this.keepsOne();
  }

  private grantAll(): void {
    for (const lane of LANES) {
      for (const request of this.requests) {
        if (request.lane !== lane) continue;
        if (this.free(lane) <= 0) break;
        this.requests.delete(request);
        request.grant(this.use(lane));
      }
    }
  }

  private use(lane: Lane): Slot {
    this.used[lane] += 1;
    let isUsed = true;
    return {
      release: () => {
        if (!isUsed) return;
        isUsed = false;
        this.used[lane] -= 1;
        this.grantAll();
      },
    };
  }

  private free(lane: Lane): number {
    const kept = lane === 'interactive' && this.isKeeping() ? 1 : 0;
    return Math.min(this.freeInAll(), this.limitOf(lane) - this.used[lane]) - kept;
  }

  private limitOf(lane: Lane): number {
    return lane === 'interactive' ? this.slots : backgroundSlots(this.slots);
  }

  private freeInAll(): number {
    return this.slots - LANES.reduce((sum, lane) => sum + this.used[lane], 0);
  }
}
