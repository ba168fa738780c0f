import type { Transaction } from '@app/database';
import type { Owned } from './owned-rows.js';

/** Calls a method for an account. `owned` names the account and the rows that the call is about. */
export type Call<Repository> = (repository: Repository, owned: Owned, transaction: Transaction) => unknown;

/** How it is proven that a method keeps to one account, or why it does not need to. */
export type Entry<Repository> =
  /** Finds its rows by what only they have: it returns and changes the same, whether another account has equal rows. */
  | { readonly kind: 'own'; readonly call: Call<Repository> }
  /** As `own`; it also takes the account, with which the names of another account's rows find nothing. */
  | { readonly kind: 'guarded'; readonly call: Call<Repository> }
  /** Works for all accounts at once, which no request of a caller leads to, or does not read their rows. */
  | { readonly kind: 'all'; readonly reason: string };

export const ownRows = <Repository>(call: Call<Repository>): Entry<Repository> => ({ kind: 'own', call });
export const guarded = <Repository>(call: Call<Repository>): Entry<Repository> => ({ kind: 'guarded', call });
export const allRows = (reason: string) => ({ kind: 'all', reason }) as const;

/** An entry for each public method of a repository. */
export type CallsOf<Repository> = Readonly<Record<keyof Repository, Entry<Repository>>>;

/** The entries of one repository class, by which the types of a call are known. */
export interface RepositoryCalls {
  readonly type: new (...args: never[]) => object;
  readonly calls: Readonly<Record<string, Entry<never>>>;
}

export function callsOf<Repository extends object>(
  type: new (...args: never[]) => Repository,
  calls: CallsOf<Repository>,
): RepositoryCalls {
  return { type, calls };
}
