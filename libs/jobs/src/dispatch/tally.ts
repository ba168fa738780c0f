/** Counts how often each key was added. */
export class Tally<Key> {
  private readonly counts = new Map<Key, number>();

  constructor(keys: Iterable<Key> = []) {
    for (const key of keys) this.add(key);
  }

  countOf(key: Key): number {
    return this.counts.get(key) ?? 0;
  }

  add(key: Key): void {
    this.counts.set(key, this.countOf(key) + 1);
  }

  /** Lists the keys that were added at least `count` times. */
  atLeast(count: number): Key[] {
    return [...this.counts].filter(([, each]) => each >= count).map(([key]) => key);
  }
}
