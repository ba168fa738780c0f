import type { Clock } from '@app/kernel';
import { LRUCache } from 'lru-cache';

/** A revoked key stops working within 5 s. The remaining second covers the clock and the query. */
const CACHE_MS = 4_000;
/** The size of each cache. Valid and invalid ids have separate caches, so that guesses do not evict valid keys. */
export const CACHE_SIZE = 10_000;

/** What was looked up; null for an unknown id. */
export interface Lookup<Row> {
  readonly row: Row | null;
  /** Time in ms until which it may be used. */
  readonly until: number;
}

/**
 * Whether it may still be used at this time in ms. After the clock was set back it may not: a revoked key would work for
 * as much longer.
 */
export function isCurrent({ until }: Pick<Lookup<unknown>, 'until'>, now: number): boolean {
  return now < until && until - now <= CACHE_MS;
}

/** Caches what is known about keys, so that a busy key is looked up every 4 s and not with each request. */
export class LookupCache<Row> {
  private readonly valid = new LRUCache<string, Lookup<Row>>({ max: CACHE_SIZE });
  private readonly invalid = new LRUCache<string, Lookup<Row>>({ max: CACHE_SIZE });
  private readonly pending = new Map<string, Promise<Lookup<Row>>>();

  /** @param read queries the database */
  constructor(
    private readonly clock: Clock,
    private readonly read: (id: string) => Promise<Row | null>,
  ) {}

  /**
   * @param mayLookUp is called before a database lookup of an id that was not valid in this process before, to limit
   * guessing. An id that was valid is always looked up, so that others cannot lock out its holder.
   */
  async find(id: string, mayLookUp: () => boolean): Promise<Lookup<Row>> {
    const known = this.known(id);
    if (known) return known;
    const isAsked = this.valid.has(id) || this.pending.has(id);
    if (!isAsked && !mayLookUp()) return { row: null, until: this.clock.now().getTime() };
    return this.ask(id);
  }

  /** What the database said last of a valid id, however long ago. */
  last(id: string): Row | null {
    return this.valid.get(id)?.row ?? null;
  }

  /** What was looked up a moment ago; undefined when the database has to be asked. */
  known(id: string): Lookup<Row> | undefined {
    const known = this.valid.get(id) ?? this.invalid.get(id);
    return known && isCurrent(known, this.clock.now().getTime()) ? known : undefined;
  }

  /** Asks the database. Requests that come together when an entry expires share one query. */
  async ask(id: string): Promise<Lookup<Row>> {
    return this.pending.get(id) ?? this.lookUp(id);
  }

  /** Asks the database, whatever is known. */
  lookUp(id: string): Promise<Lookup<Row>> {
    const until = this.clock.now().getTime() + CACHE_MS;
    const lookup = this.read(id).then((row) => ({ row, until }));
    this.pending.set(id, lookup);
    return this.remember(id, lookup);
  }

  /** Forgets an id, which is then looked up again. */
  forget(id: string): void {
    this.valid.delete(id);
    this.invalid.delete(id);
    this.pending.delete(id);
  }

  /** Keeps an answer, unless the id was forgotten meanwhile: the answer may be older than what made it forgotten. */
  private async remember(id: string, answer: Promise<Lookup<Row>>): Promise<Lookup<Row>> {
    const isCurrentAnswer = (): boolean => this.pending.get(id) === answer;
    try {
      const lookup = await answer;
      if (isCurrentAnswer()) {
        (lookup.row ? this.invalid : this.valid).delete(id);
        (lookup.row ? this.valid : this.invalid).set(id, lookup);
      }
      return lookup;
    } finally {
      if (isCurrentAnswer()) this.pending.delete(id);
    }
  }
}
