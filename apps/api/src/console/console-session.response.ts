import type { Scope, SessionKey } from '@app/auth';

/** A key of a session, as the console lists it. */
export interface ConsoleKey {
  readonly id: string;
  /** The operator's name for it. */
  readonly name: string;
  /** What it may do, so that the console shows no pages that it cannot fill. */
  readonly scopes: readonly Scope[];
  readonly account: { readonly id: string; readonly name: string };
}

export interface ConsoleSession {
  readonly keys: readonly ConsoleKey[];
}

/** @param names of the accounts, by id */
export function toSession(keys: readonly SessionKey[], names: ReadonlyMap<string, string>): ConsoleSession {
  return {
    keys: keys.map(({ id, name, scopes, accountId }) => ({
      id,
      name,
      scopes,
      account: { id: accountId, name: names.get(accountId) ?? accountId },
    })),
  };
}
