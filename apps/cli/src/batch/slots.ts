/** Lets a number of tasks run at once; the others wait in their order. */
export class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly idlers: (() => void)[] = [];

  constructor(private readonly size: number) {}

  async acquire(): Promise<void> {
    if (this.taken < this.size) this.taken++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Passes the slot on to the next task. */
  free(): void {
    const next = this.waiting.shift();
    if (next) {
      next();
      return;
    }
    this.taken--;
    if (this.taken === 0) for (const resolve of this.idlers.splice(0)) resolve();
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    if (this.taken > 0) await new Promise<void>((resolve) => this.idlers.push(resolve));
  }
}
