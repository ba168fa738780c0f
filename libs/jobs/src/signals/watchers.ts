/** Tells a watcher that something may have changed; null: look yourself. What is gone stands nowhere: ''. */
export type Tell = (standing: string | null) => void;

/** Where each of these stands, in one word that differs when anything of it does; one that is gone is left out. */
type Look = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Who watches what, by id. One poll serves all watchers; whoever hears of a change sooner tells them. */
export class Watchers {
  private readonly watched = new Map<string, Set<Tell>>();
  private timer: NodeJS.Timeout | undefined;
  private isPolling = false;

  constructor(
    private readonly pollMs: number,
    private readonly look: Look,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.poll(), this.pollMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Watchers of this process. */
  get size(): number {
    return this.watched.size;
  }

  /** Calls `tell` at changes, and now and then without one, until the result is called. */
  watch(id: string, tell: Tell): () => void {
    this.watched.set(id, (this.watched.get(id) ?? new Set()).add(tell));
    return () => {
      const tells = this.watched.get(id);
      tells?.delete(tell);
      if (tells?.size === 0) this.watched.delete(id);
    };
  }

  tell(id: string, standing: string | null): void {
    for (const tell of this.watched.get(id) ?? []) tell(standing);
  }

  private async poll(): Promise<void> {
    if (this.isPolling || this.watched.size === 0) return;
    this.isPolling = true;
    try {
      const ids = [...this.watched.keys()];
      const standings = await this.look(ids);
      for (const id of ids) this.tell(id, standings.get(id) ?? '');
    } catch {
      // The database is away; the next poll asks again, and readiness already tells.
    } finally {
      this.isPolling = false;
    }
  }
}
