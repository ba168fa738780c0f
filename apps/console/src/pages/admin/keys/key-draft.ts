import type { KeyChangeRequest, KeyRecord, NewKeyRequest } from '@capture-service/client';
import { isoOf, localOf } from '../../captures/local-time.js';

type KeyScope = KeyRecord['scopes'][number];

/** The scopes that a key can have which is made over HTTP, with what they allow. */
export const SCOPES: readonly { readonly name: KeyScope; readonly help: string }[] = [
  { name: 'capture', help: 'makes captures, and changes and deletes what the account has' },
  { name: 'read', help: 'reads what the account has' },
  { name: 'links', help: 'signs links that make captures' },
];

/** What a person has typed about the limits of a key. */
export interface LimitDraft {
  /** A local time, such as `2026-11-22T14:03`; empty for never. */
  readonly expires: string;
  /** One a line. */
  readonly hosts: string;
  /** One a line. */
  readonly addresses: string;
}

/** What a person has typed in the form of a new key. */
export interface KeyDraft extends LimitDraft {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

export const EMPTY_KEY: KeyDraft = {
  accountId: '',
  name: '',
  scopes: SCOPES.map(({ name }) => name),
  expires: '',
  hosts: '',
  addresses: '',
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

/** The limits of a key as the form shows them. */
export function limitsOf(key: Pick<KeyRecord, 'expires_at' | 'allowed_hosts' | 'allowed_ips'>): LimitDraft {
  return {
    expires: localOf(key.expires_at ?? undefined),
    hosts: key.allowed_hosts?.join('\n') ?? '',
    addresses: key.allowed_ips?.join('\n') ?? '',
  };
}

/** The request that the form makes: what was changed, and null for what was emptied. */
export function keyChangeOf(before: LimitDraft, draft: LimitDraft): KeyChangeRequest {
  const expiresAt = isoOf(draft.expires);
  const hosts = linesOf(draft.hosts);
  const addresses = linesOf(draft.addresses);
  return {
    ...(draft.expires !== before.expires && { expires_at: expiresAt === '' ? null : expiresAt }),
    ...(draft.hosts !== before.hosts && { allowed_hosts: hosts.length === 0 ? null : hosts }),
    ...(draft.addresses !== before.addresses && { allowed_ips: addresses.length === 0 ? null : addresses }),
  };
}

function linesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '');
}

/** What manages the limits and the secret of a key, which then cannot be changed here; null for any other key. */
export function managedBy(key: Pick<KeyRecord, 'scopes' | 'is_single_sign_on'>): string | null {
  if (key.is_single_sign_on) return 'single sign-on, by the groups of the person';
  return key.scopes.includes('admin') ? 'npm run keys, on the machine of the service' : null;
}

/** Whether a key works, in a word. */
export function stateOf(key: Pick<KeyRecord, 'revoked_at' | 'expires_at'>, nowMs: number): string {
  if (key.revoked_at !== null) return 'revoked';
  if (key.expires_at !== null && Date.parse(key.expires_at) <= nowMs) return 'expired';
  return 'active';
}
