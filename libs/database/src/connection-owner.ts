import { AsyncLocalStorage } from 'node:async_hooks';

/** For whom statements are run: a request. */
export interface ConnectionOwner {
  /** Undefined until the account is known. */
  accountId: string | undefined;
  /** The connections that it holds now. */
  held: number;
  /** Whether it has had a connection: it may have changed something, and must be finished. */
  hasBegun: boolean;
}

const owners = new AsyncLocalStorage<ConnectionOwner>();

/** Runs work of one request; `setAccount` says later whose it is. */
export function asRequest<T>(work: () => T, accountId?: string): T {
  return owners.run({ accountId, held: 0, hasBegun: false }, work);
}

/** Says for which account the request is that runs now. */
export function setAccount(accountId: string): void {
  const owner = owners.getStore();
  if (owner) owner.accountId = accountId;
}

/** Runs work that requests of several accounts wait for, so that it does not wait behind those of one account. */
export function asService<T>(work: () => T): T {
  return owners.exit(work);
}

/** The request that runs now; undefined for the work of the service itself. */
export function currentOwner(): ConnectionOwner | undefined {
  return owners.getStore();
}
