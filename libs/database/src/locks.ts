/**
 * Every advisory lock of ours. The numbers are any that differ from other users' of the same database; they stay as
 * they are, for during an update old and new processes must mean the same lock.
 */
export const LOCKS = {
  migrate: 7_346_001,
  sum: 7_346_002,
  reconcile: 7_346_003,
  dispatch: 7_346_004,
  expire: 7_346_005,
  account: 7_346_006,
} as const;

export type LockName = keyof typeof LOCKS;
