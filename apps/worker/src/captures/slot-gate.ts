import { backgroundSlots, LANES, type Lane } from '@app/jobs';

/** A slot of the worker in the hands of a lane. */
export interface Slot {
  free(): void;
}

interface Taker {
  readonly lane: Lane;
  readonly serve: (slot: Slot) => void;
}

/**
 * Which lane gets the next slot of this worker: who waits for a capture comes before the background, and the background
 * never has all slots where there are several.
 */
export class SlotGate {
  private readonly running: Record<Lane, number> = { interactive: 0, background: 0 };
  private readonly takers = new Set<Taker>();
  private readonly most: Record<Lane, number>;

  constructor(private readonly slots: number) {
    this.most = { interactive: slots, background: backgroundSlots(slots) };
  }

  /** Waits for a slot; null when `signal` aborts first. */
  take(lane: Lane, signal: AbortSignal): Promise<Slot | null> {
    if (signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const leave = (): void => {
        this.takers.delete(taker);
        resolve(null);
      };
      const taker: Taker = {
        lane,
        serve: (slot) => {
          signal.removeEventListener('abort', leave);
          resolve(slot);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.takers.add(taker);
      this.serve();
    });
  }

  /** How many entries the lane should have in hand: those that run, and those that could run beside them. */
  appetite(lane: Lane): number {
    return this.running[lane] + Math.max(0, this.free(lane));
  }

  isFull(): boolean {
    return this.freeOfAll() <= 0;
  }

  private serve(): void {
    for (const lane of LANES) {
      for (const taker of this.takers) {
        if (taker.lane !== lane) continue;
        if (this.free(lane) <= 0) break;
        this.takers.delete(taker);
        taker.serve(this.slotOf(lane));
      }
    }
  }

  private slotOf(lane: Lane): Slot {
    this.running[lane] += 1;
    let held = true;
    return {
      free: () => {
        if (!held) return;
        held = false;
        this.running[lane] -= 1;
        this.serve();
      },
    };
  }

  private free(lane: Lane): number {
    return Math.min(this.freeOfAll(), this.most[lane] - this.running[lane]);
  }

  private freeOfAll(): number {
    return this.slots - LANES.reduce((sum, each) => sum + this.running[each], 0);
  }
}
