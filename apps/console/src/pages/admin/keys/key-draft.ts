import type { KeyRecord, NewKeyRequest } from '@capture-service/client';
import { isoOf } from '../../captures/local-time.js';

type KeyScope = KeyRecord['scopes'][number];

/** The scopes that a key can have which is made over HTTP, with what they allow. */
export const SCOPES: readonly { readonly name: KeyScope; readonly help: string }[] = [
  { name: 'capture', help: 'makes captures, and changes and deletes what the account has' },
  { name: 'read', help: 'reads what the account has' },
  { name: 'links', help: 'signs links that make captures' },
];

/** What a person has typed in the form of a new key. */
export interface KeyDraft {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** A local time, such as `2026-11-22T14:03`; empty for never. */
  readonly expires: string;
  /** One a line. */
  readonly hosts: string;
  /** One a line. */
  readonly addresses: string;
}

export const EMPTY_KEY: KeyDraft = {
  ...{ accountId: '', name: '', scopes: SCOPES.map(({ name }) => name) },
  ...{ expires: '', hosts: '', addresses: '' },
};

/** The request that the form makes, which states what is filled in. */
export function newKeyOf(draft: KeyDraft): NewKeyRequest {
  const name = draft.name.trim();
  const expiresAt = isoOf(draft.expires);
  const hosts = linesOf(draft.hosts);
  const addresses = linesOf(draft.addresses);
  return {
    account_id: draft.accountId,
    scopes: SCOPES.map((scope) => scope.name).filter((scope) => draft.scopes.includes(scope)),
    ...(name !== '' && { name }),
    ...(expiresAt !== '' && { expires_at: expiresAt }),
    ...(hosts.length > 0 && { allowed_hosts: hosts }),
    ...(addresses.length > 0 && { allowed_ips: addresses }),
  };
}

function linesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '');
}

/** Whether a key works, in a word. */
export function stateOf(key: Pick<KeyRecord, 'revoked_at' | 'expires_at'>, nowMs: number): string {
  if (key.revoked_at !== null) return 'revoked';
  if (key.expires_at !== null && Date.parse(key.expires_at) <= nowMs) return 'expired';
  return 'active';
}
