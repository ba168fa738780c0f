import { Injectable } from '@nestjs/common';
import { AuditRepository, COMMAND, type Actor, type AuditAction, type Facts } from '@app/audit';
import { DatabaseService, type Transaction } from '@app/database';
import { AppError, type Cursor } from '@app/kernel';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository, type KeyPage } from './api-key.repository.js';
import { generateKey, generateSecret, hashSecret } from './key-format.js';
import { DEFAULT_SCOPES } from './scopes.js';

export interface NewKey {
  readonly id: string;
  /** The whole key, which is not stored. */
  readonly key: string;
}

/** What a key may do, and who makes it; a command on the machine by default. */
export type KeySettings = Partial<
  Pick<ApiKey, 'scopes' | 'expiresAt' | 'allowedHosts' | 'allowedIps'> & { readonly by: Actor }
>;

/** What of a key can change; its scopes and its account cannot. */
export type KeyChange = Partial<Pick<ApiKey, 'name' | 'expiresAt' | 'allowedHosts' | 'allowedIps'>>;

/**
 * Manages keys, and records each change in its own transaction. What is not allowed over HTTP depends on the actor: keys with
 * the scope `admin` are made and rotated by commands only.
 */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly repository: ApiKeyRepository,
    private readonly database: DatabaseService,
    private readonly audit: AuditRepository,
  ) {}

  /** @throws AppError `admin_key` over HTTP for the scope `admin` */
  create(accountId: string, name: string, settings: KeySettings = {}): Promise<NewKey> {
    return this.database.transaction((transaction) =>
      this.createIn(transaction, { accountId, name }, settings),
    );
  }

  /** Creates a key in the transaction that creates its account. */
  async createIn(
    transaction: Transaction,
    owner: Pick<ApiKey, 'accountId' | 'name'> & Partial<Pick<ApiKey, 'person'>>,
    { by = COMMAND, ...settings }: KeySettings = {},
  ): Promise<NewKey> {
    const {
      scopes = [...DEFAULT_SCOPES],
      expiresAt = null,
      allowedHosts = null,
      allowedIps = null,
    } = settings;
    if (scopes.includes('admin')) refuseOverHttp(by, 'made');
    const { id, secret, key } = generateKey();
    const limits = { scopes, expiresAt, allowedHosts, allowedIps };
    const stored = await this.repository.add(transaction, {
      id,
      person: null,
      ...owner,
      ...limits,
      secretSha256: hashSecret(secret),
    });
    await this.record(transaction, by, { action: 'key.created', key: stored, after: factsOf(stored) });
    return { id, key };
  }

  list(): Promise<ApiKey[]> {
    return this.repository.list();
  }

  /** The newest first; of all accounts without an id. */
  listPage(
    accountId: string | undefined,
    page: { readonly limit: number; readonly cursor: Cursor | undefined },
  ): Promise<KeyPage> {
    return this.repository.listPage(accountId, page);
  }

  find(id: string): Promise<ApiKey | null> {
    return this.repository.find(id);
  }

  /**
   * Revokes a key, which stops working within 5 s in all processes. A revoked key keeps its time. Null if there is no key with
   * this id.
   *
   * @throws AppError `admin_key` over HTTP for the last valid key with the scope `admin`
   */
  async revoke(id: string, by: Actor = COMMAND): Promise<ApiKey | null> {
    await this.database.transaction(async (transaction) => {
      if (by.kind === 'key') await this.keepAnAdmin(transaction, (admin) => admin.id !== id);
      const key = await this.repository.lock(transaction, id);
      if (key?.revokedAt === null) await this.revokeIn(transaction, key, by);
    });
    return this.repository.find(id);
  }

  /**
   * Changes the name and the limits of a key; processes know it within 5 s. Null if there is no valid key with this id: one that has
   * expired stays so.
   *
   * @throws AppError `admin_key` over HTTP for a key with the scope `admin`, whose holder would lift the limits of it
   */
  async change(id: string, change: KeyChange, by: Actor): Promise<ApiKey | null> {
    return this.database.transaction(async (transaction) => {
      const key = await this.repository.lockValid(transaction, id);
      // A person's key follows from the groups of the person.
      if (!key || key.person !== null) return null;
      if (key.scopes.includes('admin')) refuseOverHttp(by, 'changed');
      if (Object.keys(change).length === 0) return key;
      const after = await this.repository.change(transaction, id, change);
      const facts = { before: factsOf(key), after: factsOf(after) };
      await this.record(transaction, by, { action: 'key.changed', key, ...facts });
      return after;
    });
  }

  /** Revokes a key that the transaction has locked. */
  async revokeIn(transaction: Transaction, key: ApiKey, by: Actor): Promise<void> {
    await this.repository.revoke(transaction, [key.id]);
    await this.record(transaction, by, { action: 'key.revoked', key, before: factsOf(key) });
  }

  /**
   * Revokes all keys of an account, in the transaction that begins its deletion.
   *
   * @throws AppError `account_state` over HTTP when the last valid key with the scope `admin` is among them
   */
  async revokeAllOf(transaction: Transaction, accountId: string, by: Actor): Promise<void> {
    if (by.kind === 'key') {
      await this.keepAnAdmin(transaction, (admin) => admin.accountId !== accountId, 'account_state');
    }
    const keys = await this.repository.lockUnrevoked(transaction, { accountId });
    await this.repository.revoke(
      transaction,
      keys.map(({ id }) => id),
    );
    for (const key of keys) {
      await this.record(transaction, by, { action: 'key.revoked', key, before: factsOf(key) });
    }
  }

  /**
   * Gives a key another secret; the one before works for `overlapS` longer. Null if there is no valid key with this id.
   */
  rotate(id: string, overlapS: number): Promise<NewKey | null> {
    return this.database.transaction((transaction) => this.rotateIn(transaction, { id, overlapS }, COMMAND));
  }

  /**
   * Like `rotate`, in a transaction of the caller.
   *
   * @throws AppError `admin_key` over HTTP for a key with the scope `admin`
   */
  async rotateIn(
    transaction: Transaction,
    { id, overlapS }: { readonly id: string; readonly overlapS: number },
    by: Actor,
  ): Promise<NewKey | null> {
    const key = await this.repository.lockValid(transaction, id);
    // The secret of a person's key would work outside of sessions, in the name of the person.
    if (!key || key.person !== null) return null;
    if (key.scopes.includes('admin')) refuseOverHttp(by, 'rotated');
    const next = generateSecret(id);
    await this.repository.replaceSecret(transaction, id, { sha256: hashSecret(next.secret), overlapS });
    await this.record(transaction, by, { action: 'key.rotated', key, after: { overlap_s: overlapS } });
    return { id, key: next.key };
  }

  /**
   * Says whether the tools of `POST /mcp` accept options that run code or carry secrets, for one key or for all that an
   * account has now; running processes know it within 5 s. Returns the ids of the keys, which are valid ones.
   */
  setMcpUnsafe(
    of: { readonly id: string } | { readonly accountId: string },
    mcpUnsafe: boolean,
  ): Promise<string[]> {
    return this.database.transaction(async (transaction) => {
      const keys = await this.repository.lockUnrevoked(transaction, of);
      const ids = keys.map(({ id }) => id);
      await this.repository.setMcpUnsafe(transaction, ids, mcpUnsafe);
      for (const key of keys.filter((each) => each.mcpUnsafe !== mcpUnsafe)) {
        const facts = { before: { mcp_unsafe: key.mcpUnsafe }, after: { mcp_unsafe: mcpUnsafe } };
        await this.record(transaction, COMMAND, { action: 'key.changed', key, ...facts });
      }
      return ids;
    });
  }

  hasAny(): Promise<boolean> {
    return this.repository.hasAny();
  }

  private async keepAnAdmin(
    transaction: Transaction,
    isKept: (admin: { readonly id: string; readonly accountId: string }) => boolean,
    code: 'admin_key' | 'account_state' = 'admin_key',
  ): Promise<void> {
    const admins = await this.repository.lockAdmins(transaction);
    if (admins.length === 0 || admins.some(isKept)) return;
    throw new AppError(code, {
      detail:
        'The last key with the scope admin would be gone. Make another one first: npm run keys -- create --scopes admin',
    });
  }

  private record(
    transaction: Transaction,
    by: Actor,
    { action, key, ...facts }: RecordedChange,
  ): Promise<void> {
    const { accountId, id: subjectId } = key;
    return this.audit.record(transaction, by, { action, accountId, subjectId, ...facts });
  }
}

interface RecordedChange {
  readonly action: AuditAction;
  readonly key: ApiKey;
  readonly before?: Facts;
  readonly after?: Facts;
}

function refuseOverHttp({ kind }: Actor, what: string): void {
  if (kind !== 'key') return;
  throw new AppError('admin_key', {
    detail: `A key with the scope admin is ${what} on the machine of the service only, by npm run keys.`,
  });
}

/** What the audit trail says of a key: everything but its secrets. */
function factsOf({ name, scopes, expiresAt, allowedHosts, allowedIps, mcpUnsafe }: ApiKey): Facts {
  return {
    name,
    scopes,
    expires_at: expiresAt?.toISOString() ?? null,
    allowed_hosts: allowedHosts,
    allowed_ips: allowedIps,
    mcp_unsafe: mcpUnsafe,
  };
}
