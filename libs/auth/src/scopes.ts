/**
 * What a key may do. A key has one or more, which never change:
 *
 *   capture  make captures, and change or delete what the account has
 *   read     read what the account has
 *   links    sign links, and make captures by links
 *   admin    manage accounts and keys, and see the queue and the workers of all accounts. It contains none of the others
 */
export const SCOPES = ['capture', 'read', 'links', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a key may do that was made without scopes. */
export const DEFAULT_SCOPES: readonly Scope[] = ['capture', 'read', 'links'];
