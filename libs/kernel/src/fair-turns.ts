/** How many turns there are. */
interface TurnLimits {
  /** At a time, of all owners together. */
  readonly max: number;
  /** At a time, of one owner. */
  readonly maxOfOwner: number;
  /** The owner that may have all turns. */
  readonly unlimited?: string;
}

interface Owner {
  taken: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits how many calls have a turn at once, in all and of one owner. Those of one owner wait in the order in which they
 * came; the owners that wait take turns.
 */
export class FairTurns {
  private taken = 0;
  /** Those with a turn or a wait; the first was served the longest time ago. */
  private readonly owners = new Map<string, Owner>();

  constructor(private readonly limits: TurnLimits) {}

  /** How many calls wait, of one owner or of all. */
  waiting(name?: string): number {
    if (name !== undefined) return this.owners.get(name)?.waiting.length ?? 0;
    return [...this.owners.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /**
   * Resolves when the call has its turn, which `end` ends; after `timeoutMs` it no longer waits, and the result is false.
   *
   * @param mayExceed whether the call may have more turns than its owner: one that waits for itself would never end
   */
  async waitForTurn(
    name: string,
    { timeoutMs, mayExceed }: { timeoutMs: number; mayExceed: boolean },
  ): Promise<boolean> {
    const owner = this.owners.get(name) ?? { taken: 0, waiting: [] };
    this.owners.set(name, owner);
    if (mayExceed || (this.isFree(name, owner) && owner.waiting.length === 0)) {
      this.grantTurn(name, owner);
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const begin = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      owner.waiting.splice(owner.waiting.indexOf(begin), 1);
      this.forgetIdle(name, owner);
      resolve(false);
    }, timeoutMs);
    owner.waiting.push(begin);
    return promise;
  }

  end(name: string): void {
    const owner = this.owners.get(name);
    if (!owner) return;
    owner.taken--;
    this.taken--;
    this.forgetIdle(name, owner);
    for (const [next, waiting] of this.owners) {
      if (this.taken >= this.limits.max) return;
      const begin = this.isFree(next, waiting) ? waiting.waiting.shift() : undefined;
      if (!begin) continue;
      this.grantTurn(next, waiting);
      begin();
      return;
    }
  }

  private isFree(name: string, { taken }: Owner): boolean {
    const { max, maxOfOwner, unlimited } = this.limits;
    return this.taken < max && (name === unlimited || taken < maxOfOwner);
  }

  /** Moves the owner to the end of those that wait. */
  private grantTurn(name: string, owner: Owner): void {
    owner.taken++;
    this.taken++;
    this.owners.delete(name);
    this.owners.set(name, owner);
  }

  private forgetIdle(name: string, { taken, waiting }: Owner): void {
    if (taken === 0 && waiting.length === 0) this.owners.delete(name);
  }
}
