import type { ApiKey } from './api-key.entity.js';
import type { Scope } from './scopes.js';

/** The sender of a request. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly scopes: readonly Scope[];
  /** Patterns of the hosts that the key may capture; null for all. */
  readonly allowedHosts: readonly string[] | null;
  /** The addresses from which the key may be used; null for all. */
  readonly allowedIps: readonly string[] | null;
  /** Whether the tools of `POST /mcp` accept options that run code or carry secrets. */
  readonly mcpUnsafe: boolean;
}

/** What of a key its requests depend on. */
export type CallerKey = Pick<
  ApiKey,
  'id' | 'accountId' | 'name' | 'scopes' | 'allowedHosts' | 'allowedIps' | 'mcpUnsafe'
>;

export function toCaller(key: CallerKey): Caller {
  const { id: keyId, accountId, name: keyName, scopes, allowedHosts, allowedIps, mcpUnsafe } = key;
  return { accountId, keyId, keyName, scopes, allowedHosts, allowedIps, mcpUnsafe };
}
