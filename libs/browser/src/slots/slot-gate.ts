/** Below this share of its cores a worker takes more captures, above the other fewer. */
const LIGHT = 0.8;
const FULL = 0.95;
const GROWTH = 1.25;
const SHRINKAGE = 0.9;
/**
 * The weight of one period of half a second. Captures of pages that answer at the same moment use all cores for a while and none
 * afterwards, which is no reason to run fewer of them.
 */
const WEIGHT = 0.3;

export interface SlotGateRules {
  /** Slots that are usable whatever the load. */
  readonly min: number;
  readonly max: number;
}

/**
 * Decides how many slots are usable now. Captures of pages that wait for the network need all of them. Those of pages that
 * compute would only slow each other down, up to their timeouts, once they use all cores.
 */
export class SlotGate {
  private current: number;
  /** The share of the cores, averaged over some seconds. */
  private share = 0;

  constructor(private readonly rules: SlotGateRules) {
    this.current = rules.min;
  }

  get usable(): number {
    return this.current;
  }

  /**
   * To be called periodically while captures run.
   *
   * @param busy the slots in use
   * @param share the part of the cores of this worker that it and its browsers used in the last period
   */
  note(busy: number, share: number): void {
    const { min, max } = this.rules;
    this.share += WEIGHT * (share - this.share);
    if (this.share > FULL) this.current = Math.max(min, Math.floor(this.current * SHRINKAGE));
    // A page that has just begun to load has not used the cores yet.
    else if (Math.max(share, this.share) < LIGHT && busy >= this.current)
      this.current = Math.min(max, Math.ceil(this.current * GROWTH));
  }
}
