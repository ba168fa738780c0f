/** Limits how many calls run at once. The others wait in the order in which they came. */
export class ConcurrencyLimit {
  private free: number;
  private readonly queue: (() => void)[] = [];

  constructor(max: number) {
    this.free = max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.queue.shift();
      if (next) next();
      else this.free++;
    }
  }
}
