import type { Scope, SessionKey } from '@app/auth';

/** A key of a session, as the console lists it. */
export interface ConsoleKey {
  readonly id: string;
  /** The operator's name for it. */
  readonly name: string;
  /** What it may do, so that the console shows no pages that it cannot fill. */
  readonly scopes: readonly Scope[];
  readonly account: { readonly id: string; readonly name: string };
  /** Whether it came by single sign-on, whose provider has a log-out of its own. */
  readonly is_single_sign_on: boolean;
}

export interface ConsoleSession {
  readonly keys: readonly ConsoleKey[];
  /** Whether people can log in by single sign-on. */
  readonly has_single_sign_on: boolean;
}

/** @param names of the accounts, by id */
export function toKeys(
  keys: readonly SessionKey[],
  names: ReadonlyMap<string, string>,
): readonly ConsoleKey[] {
  return keys.map(({ id, name, scopes, accountId, isOfPerson }) => ({
    id,
    name,
    scopes,
    account: { id: accountId, name: names.get(accountId) ?? accountId },
    is_single_sign_on: isOfPerson,
  }));
}
